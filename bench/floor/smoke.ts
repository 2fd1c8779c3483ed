/**
 * A minimal smoke test: the requests of `assay run --suite smoke` in the same order, with the same assertions,
 * over node:http with ajv; no limits, evidence or report.
 *
 * Arguments: a JSON file with the requests (from the evidence of a smoke run), and the provider's facts as JSON.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import type { ServerFacts } from '../provider/server.ts';
import { listSchema } from './list-schema.ts';
import type { RecordedRequest } from './requests.ts';

const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
const [file = '', providerJson = ''] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedRequest[];
const provider = JSON.parse(providerJson) as ServerFacts;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

interface Envelope {
  readonly items: readonly { readonly id: string }[];
  readonly nextPageLink?: string | null;
  readonly count?: number | null;
}

interface Token {
  readonly access_token: string;
  readonly expires_in: number;
  readonly token_type: string;
}

const text = { type: 'string' };
const ajv = new Ajv2020({ strict: false });
const isEnvelope = ajv.compile<Envelope>(listSchema);
const isToken = ajv.compile<Token>({
  type: 'object',
  required: ['access_token', 'expires_in', 'token_type', 'scope'],
  properties: {
    access_token: { ...text, minLength: 1 },
    expires_in: { type: 'integer' },
    token_type: text,
    scope: text,
  },
});

function send({
  method,
  target,
  headers,
  body,
}: RecordedRequest): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(provider.url);
    const sent = request(
      { agent, hostname, port, method, path: target, headers: headers.flat() },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          body += piece;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: body }));
      },
    );
    sent.on('error', reject).end(body ?? undefined);
  });
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

const seenIds = new Set<string>();
for (const one of requests) {
  const answer = await send(one);
  const value: unknown = JSON.parse(answer.text);
  const query = new URLSearchParams(one.target.split('?')[1] ?? '');
  if (one.refused) {
    expect(answer.status >= 400, `${one.target} is refused`);
    continue;
  }
  expect(answer.status === 200, `${one.target} is answered 200`);
  if (one.method === 'POST') {
    expect(
      isToken(value) && value.token_type === 'Bearer' && value.expires_in === 3600,
      'the token answer is valid',
    );
    continue;
  }
  if (!isEnvelope(value)) throw new Error(`${one.target} is a list`);
  const size = Number(query.get('$pagesize') ?? 500);
  expect(value.items.length <= size, `${one.target} has at most ${size} records`);
  if (query.get('$count') !== 'true') {
    expect(value.nextPageLink == null, `${one.target} has no link`);
    continue;
  }
  expect(Number.isInteger(value.count), `${one.target} has a count`);
  const skip = Number(query.get('$skip') ?? 0);
  const more = skip + value.items.length < (value.count ?? 0);
  expect(more === (value.nextPageLink != null), `${one.target} has a link if more records follow`);
  if (value.nextPageLink != null) {
    const link = new URLSearchParams(value.nextPageLink.split('?')[1] ?? '');
    expect(value.nextPageLink.startsWith('/v1/printers?'), 'the link is relative');
    expect(
      Number(link.get('$skip')) === skip + value.items.length,
      '$skip of the link is the end of the page',
    );
  }
  if (size === 500) for (const { id } of value.items) seenIds.add(id);
}
agent.destroy();
process.stdout.write(`${requests.length} requests, ${seenIds.size} records\n`);
