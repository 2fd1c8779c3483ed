import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Records, recordsOf } from './records.ts';

/** Options of the server process: its argument, as JSON. */
export interface ServerOptions {
  readonly records: number;
  /** Milliseconds before each answer; 0 for none. */
  readonly latencyMs: number;
}

/** Facts that the server prints as one line of JSON when it listens. */
export interface ServerFacts {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly tenant: string;
  /** The token that it issues. */
  readonly token: string;
}

const TOKEN = 'bench-0123456789abcdefghijklmnopqrstuvwxyz-0123456789';
const FACTS = {
  clientId: 'bench-client',
  clientSecret: 'bench-secret-4711-0815',
  scope: 'printers.read',
  tenant: 'bench',
  token: TOKEN,
};
const TOKEN_ANSWER = JSON.stringify({
  access_token: TOKEN,
  expires_in: 3600,
  token_type: 'Bearer',
  scope: FACTS.scope,
});

/**
 * A minimal conforming provider: pages are slices of a buffer that is serialised once. Every path that ends
 * with the path of the list is the list, so that many targets can share one process.
 */
function serve({ records, latencyMs }: ServerOptions): void {
  const list = recordsOf(records);
  const server = createServer((request, response) => {
    const answer = (): void => respond(request, response, list);
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, ...FACTS })}\n`);
  });
  // The parent process has ended.
  process.stdin.on('end', () => process.exit()).resume();
}

function respond(request: IncomingMessage, response: ServerResponse, list: Records): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (request.method === 'POST' && path.endsWith('/connect/token')) issue(request, response);
  else if (!path.endsWith('/v1/printers')) end(response, 404, '{}');
  else if (request.headers.authorization !== `Bearer ${TOKEN}`) end(response, 401, '{}');
  else page(path, query, response, list);
}

function issue(request: IncomingMessage, response: ServerResponse): void {
  let form = '';
  request.setEncoding('latin1').on('data', (text: string) => {
    form += text;
  });
  request.on('end', () => {
    const fields = new URLSearchParams(form);
    const isValid =
      fields.get('grant_type') === 'client_credentials' &&
      fields.get('client_id') === FACTS.clientId &&
      fields.get('client_secret') === FACTS.clientSecret;
    end(response, isValid ? 200 : 400, isValid ? TOKEN_ANSWER : '{"error":"invalid_client"}');
  });
}

function page(path: string, query: string, response: ServerResponse, list: Records): void {
  const parameters = new Map(
    query.split('&').map((pair) => pair.replaceAll('%24', '$').split('=') as [string, string]),
  );
  const requestedSize = Number(parameters.get('$pagesize') ?? 500);
  const size = Number.isInteger(requestedSize) && requestedSize >= 1 ? Math.min(requestedSize, 500) : 500;
  const skip = Number(parameters.get('$skip') ?? 0) || 0;
  const counted = parameters.get('$count') === 'true';
  const next = skip + size;
  const listPath = path.slice(path.indexOf('/v1/'));
  const link = `,"nextPageLink":"${listPath}?$count=true&$pagesize=${size}&$skip=${next}"`;
  const tail = `]${counted ? `,"count":${list.count}${next < list.count ? link : ''}` : ''}}`;
  const records = list.slice(skip, size);
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': 10 + records.length + tail.length,
  });
  response.write('{"items":[');
  response.write(records);
  response.end(tail);
}

function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

serve(JSON.parse(process.argv[2] ?? '') as ServerOptions);
