import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server in front of a mock that answers some requests itself. */
export type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => boolean;

/**
 * Starts a server on loopback that passes every request to `answer` and, if that declines, to the provider.
 */
export async function startGateway(
  provider: string,
  answer: Answer,
): Promise<{ readonly url: string; readonly close: () => void }> {
  let number = 0;
  const server = createServer((request, response) => {
    number += 1;
    if (answer(request, response, number)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const passed = await fetch(provider + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        redirect: 'manual',
        // fetch sends no body with GET.
        ...(body.length > 0 && request.method !== 'GET' ? { body } : {}),
      });
      response.writeHead(passed.status, {
        'Content-Type': passed.headers.get('content-type') ?? 'text/plain',
      });
      response.end(Buffer.from(await passed.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept = ['authorization', 'content-type', 'accept', 'tenant'];
  return Object.fromEntries(
    kept.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

export const isToken = ({ url }: IncomingMessage): boolean => url?.startsWith('/connect/token') === true;

/** Answers all requests to one or both endpoints in the same way. */
export function always(
  endpoint: 'token' | 'list' | 'both',
  status: number,
  body = '',
  headers: Record<string, string> = {},
): Answer {
  return (request, response) => {
    const hit = endpoint === 'both' || (endpoint === 'token') === isToken(request);
    if (hit) response.writeHead(status, headers).end(body);
    return hit;
  };
}
