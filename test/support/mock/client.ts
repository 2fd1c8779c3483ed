import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Credentials, Mock } from '../../../src/mock/index.ts';

/** A request of a test, sent unchanged. */
export interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function inflated(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'gzip') return gunzipSync(body);
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'deflate' ? inflateSync(body) : body;
}

/** Sends a request over a kept-alive connection and returns the complete answer. */
export function send(mock: Mock, sent: Sent): Promise<Got> {
  const { hostname, port } = new URL(mock.authUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        hostname,
        port,
        path: sent.target,
        method: sent.method ?? 'GET',
        headers: { ...sent.headers, ...(sent.body && { 'Content-Length': Buffer.byteLength(sent.body) }) },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const body = inflated(Buffer.concat(chunks), incoming.headers['content-encoding']);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: body.toString('utf8'),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(sent.body);
  });
}

/** The fields of a valid token request. */
export function fieldsOf(credentials: Credentials): Readonly<Record<string, string>> {
  return {
    grant_type: 'client_credentials',
    scope: credentials.scope,
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  };
}

/** A form-encoded token request. */
export function tokenRequest(fields: Readonly<Record<string, string>>): Sent {
  return {
    method: 'POST',
    target: '/connect/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

/** The members of a JSON object; fails the test for any other value. */
export function membersOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`no object: ${text}`);
  return { ...value };
}

/** A fresh token for the first provider's credentials. */
export async function tokenOf(mock: Mock, credentials: Credentials = mock.credentials): Promise<string> {
  return String(membersOf((await send(mock, tokenRequest(fieldsOf(credentials)))).text)['access_token']);
}

/** A list call as in the specification. */
export function listRequest(mock: Mock, token: string, query: string): Sent {
  return {
    target: `${new URL(mock.baseUrl).pathname.replace(/\/$/, '')}/v1/printers${query}`,
    headers: { Authorization: `Bearer ${token}`, Tenant: mock.tenant, Accept: 'application/json' },
  };
}

/** A page with the members of the answer. */
interface PageGot {
  readonly status: number;
  readonly items: readonly Record<string, unknown>[];
  readonly nextPageLink: unknown;
  readonly count: unknown;
}

export async function page(mock: Mock, token: string, query: string): Promise<PageGot> {
  const got = await send(mock, listRequest(mock, token, query));
  if (got.status !== 200) return { status: got.status, items: [], nextPageLink: undefined, count: undefined };
  const { items, nextPageLink, count } = membersOf(got.text);
  if (!Array.isArray(items)) throw new Error('items is no array');
  return { status: 200, items, nextPageLink, count };
}
