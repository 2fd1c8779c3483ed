import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Exchange, Header, HttpRequest } from '../../../src/core/exchange.ts';
import type { HttpClientOptions } from '../../../src/http/http-client.ts';
import { HttpClient } from '../../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../../src/target/make.ts';
import type { Limits } from '../../../src/target/target.ts';

/** A raw TCP server on loopback. */
export interface RawServer {
  readonly port: number;
  readonly origin: string;
  /** Connections made so far. */
  readonly connections: Socket[];
  close(): Promise<void>;
}

/** Handles every connection with a function; socket errors are ignored. */
export async function rawServer(serve: (socket: Socket, index: number) => void): Promise<RawServer> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    connections.push(socket);
    serve(socket, connections.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    for (const socket of connections) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  return { port, origin: `http://127.0.0.1:${port}`, connections, close };
}

/** Calls back with the text of each request head and the bytes after it in the same chunk. */
export function onRequest(socket: Socket, answer: (head: string, index: number) => void): void {
  let text = '';
  let index = 0;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (!text.includes('\r\n\r\n')) return;
    const head = text;
    text = '';
    answer(head, index);
    index += 1;
  });
}

/** A server that sends the same bytes to every request, then closes the connection by default. */
export function fixedServer(bytes: string | Buffer, keepOpen = false): Promise<RawServer> {
  return rawServer((socket) => {
    onRequest(socket, () => {
      if (keepOpen) socket.write(bytes);
      else socket.end(bytes);
    });
  });
}

interface Rig {
  readonly client: HttpClient;
  readonly exchanges: Exchange[];
}

/** A client with a very high rate limit, and its exchanges. */
export function rig(
  origins: readonly string[],
  limits: Partial<Limits> = {},
  options: Partial<HttpClientOptions> = {},
): Rig {
  const exchanges: Exchange[] = [];
  const client = new HttpClient({
    limits: { ...DEFAULT_LIMITS, requestsPerSecond: 100_000, ...limits },
    tls: { ca: null, cert: null, key: null },
    origins,
    env: {},
    onExchange: (exchange) => exchanges.push(exchange),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, exchanges };
}

export function get(origin: string, target = '/', headers: readonly Header[] = []): HttpRequest {
  return { method: 'GET', origin, target, headers, body: null };
}

export function bodyText(exchange: Exchange): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(exchange.answer?.body ?? new Uint8Array());
}

/** Builds an answer from the lines of its head and its body. */
export function answer(head: string, body: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from(`${head.trim().split('\n').join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** Whether a request left this machine. */
export function wasSent({ connection }: Exchange): boolean {
  return connection !== null;
}
