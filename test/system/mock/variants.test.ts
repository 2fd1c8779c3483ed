import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Mock, startMock, type Variant, variants } from '../../../src/mock/index.ts';
import {
  fieldsOf,
  type Got,
  listRequest,
  membersOf,
  send,
  tokenOf,
  tokenRequest,
} from '../../support/mock/client.ts';

/** Retries after 429, 502, 503 or a closed idle connection, twice at most. */
async function patiently(mock: Mock, sent: Parameters<typeof send>[1]): Promise<Got> {
  let last: Got | undefined;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    last = await send(mock, sent).catch(() => undefined);
    if (last !== undefined && ![429, 502, 503].includes(last.status)) return last;
  }
  if (last === undefined) throw new Error('no answer after three attempts');
  return last;
}

/** The query of a link, after checking that its path is the list. */
function queryOf(link: string): string {
  const [path = '', query = ''] = link.split('?');
  expect([
    '',
    'printers',
    'v1/printers',
    '/v1/printers',
    '/int/v1/printers',
    '/gateway/v1/v1/printers',
  ]).toContain(path);
  return query;
}

function isPrinter(item: Readonly<Record<string, unknown>>): boolean {
  return [item['id'], item['displayName'], item['agent']].every((value) => typeof value === 'string');
}

/** Traverses the list and checks every page, independently of the harness. */
async function readAll(
  mock: Mock,
  token: string,
  size: number,
  records: number,
): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>();
  let query: string | undefined = `$count=true&$pagesize=${size}`;
  for (let given = 0; query !== undefined; ) {
    const got = await patiently(mock, listRequest(mock, token, `?${query}`));
    expect(got.status).toBe(200);
    const { items, nextPageLink, count } = membersOf(got.text);
    if (!Array.isArray(items)) throw new Error('items is no array');
    expect(items).toHaveLength(Math.min(size, records - given));
    expect(items.filter((item) => !isPrinter(item))).toEqual([]);
    for (const { id } of items) ids.add(id);
    given += items.length;
    expect(count).toBe(records);
    if (given >= records) expect(nextPageLink ?? undefined).toBeUndefined();
    query = given < records ? queryOf(String(nextPageLink)) : undefined;
    if (query === undefined) continue;
    const parameters = new URLSearchParams(query);
    expect(parameters.getAll('$count')).toEqual(['true']);
    expect(parameters.getAll('$pagesize')).toEqual([String(size)]);
    expect(parameters.getAll('$skip')).toEqual([String(given)]);
  }
  return ids;
}

/** JSON without white space: some variants indent it. */
function withoutSpace(json: string): string {
  return json.replaceAll(/\s/g, '');
}

const atRest = variants.filter((variant) => variant.living !== true);

function start(variant: Variant): Promise<Mock> {
  return startMock({ variant: variant.id });
}

describe.concurrent('a variant with constant data', () => {
  it.each(atRest.map((variant) => [variant.id, variant] as const))(
    '%s keeps the rules',
    async (_id, variant) => {
      const mock = await start(variant);
      try {
        const got = membersOf((await patiently(mock, tokenRequest(fieldsOf(mock.credentials)))).text);
        expect(got).toMatchObject({ token_type: 'Bearer', scope: expect.any(String) });
        // A cached token counts down.
        expect(got['expires_in']).toBeGreaterThan(3000);
        expect(got['expires_in']).toBeLessThanOrEqual(3600);
        const token = String(got['access_token']);
        const records = variant.records ?? 1234;
        const [large, small] = [
          await readAll(mock, token, 500, records),
          await readAll(mock, token, 247, records),
        ];
        expect(large.size).toBe(records);
        expect(small).toEqual(large);
        const plain = membersOf((await patiently(mock, listRequest(mock, token, ''))).text);
        expect(plain['items']).toHaveLength(Math.min(500, records));
        expect(plain['nextPageLink'] ?? undefined).toBeUndefined();
        const unauthorized = await patiently(mock, { target: listRequest(mock, token, '').target });
        const ids = (plain['items'] as readonly { readonly id: unknown }[]).map(({ id }) =>
          withoutSpace(JSON.stringify(id)),
        );
        const recordsIn = (text: string): readonly string[] =>
          ids.filter((id) => withoutSpace(text).includes(`"id":${id}`));
        expect(recordsIn(unauthorized.text)).toEqual([]);
        const guess = await patiently(mock, listRequest(mock, 'guess', ''));
        expect(recordsIn(guess.text)).toEqual([]);
        const wrong = tokenRequest({ ...fieldsOf(mock.credentials), client_secret: 'wrong' });
        // Closing the connection is a refusal, too.
        const refused = await patiently(mock, wrong).catch(() => null);
        expect(refused?.text ?? '').not.toContain('"access_token":"');
        const above = await patiently(mock, listRequest(mock, token, '?$pagesize=501'));
        if (above.status === 200) expect(JSON.parse(above.text).items?.length ?? 0).toBeLessThanOrEqual(500);
      } finally {
        await mock.close();
      }
    },
  );
});

/** Enough requests for every change, and enough after the first one that is seen. */
const [MOST_READS, READS_AFTER_CHANGE] = [360, 60];

describe.concurrent('a variant with changing data', () => {
  const living = variants.filter((variant) => variant.living);

  it.each(living.map((variant) => [variant.id, variant] as const))(
    '%s changes, and each answer is whole',
    async (_id, variant) => {
      const mock = await start(variant);
      try {
        const token = await tokenOf(mock);
        // The start, the middle and the end, where a page has room for another record, each compared with itself.
        const total = variant.records ?? 1234;
        const places = [0, Math.floor(total / 2) - 3, Math.max(0, total - 5)];
        const seen = places.map(() => new Set<string>());
        let left = MOST_READS;
        for (let read = 0; left > 0; read += 1, left -= 1) {
          const size = variant.records === undefined ? 500 : 7;
          // In pairs, to detect changes between reads.
          const place = Math.floor(read / 2) % places.length;
          const skip = Math.max(0, places[place] ?? 0);
          const got = await send(
            mock,
            // A further parameter, because some variants keep the answers of a URL.
            listRequest(mock, token, `?$count=true&$pagesize=${size}&$skip=${skip}&x=${read}`),
          );
          if (variant.id.includes('-refuses-') && got.status === 404) continue;
          const { items, nextPageLink, count } = membersOf(got.text);
          if (!Array.isArray(items) || typeof count !== 'number') throw new Error('no page');
          expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
          const counted = Math.max(0, Math.min(size, count - skip));
          // Where count lags behind, a page holds more records than count leaves for it, or fewer.
          if (variant.id === 'living-count-lags-after-a-removal')
            expect(items.length).toBeLessThanOrEqual(counted);
          else if (variant.id.startsWith('living-count-lags'))
            expect(items.length).toBeGreaterThanOrEqual(counted);
          else {
            expect(items).toHaveLength(counted);
            expect(nextPageLink !== undefined).toBe(items.length > 0 && skip + items.length < count);
          }
          const ids = items.map((item) => item.id).join();
          seen[place]?.add(`${count} ${ids}`);
          if (seen.some((answers) => answers.size > 1)) left = Math.min(left, READS_AFTER_CHANGE);
        }
        expect(Math.max(...seen.map((answers) => answers.size))).toBeGreaterThan(1);
      } finally {
        await mock.close();
      }
    },
  );
});

describe('a variant of the transport', () => {
  async function raw(id: string): Promise<string> {
    const mock = await startMock({ variant: id });
    const socket = connect(Number(new URL(mock.authUrl).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.write('GET /v1/printers HTTP/1.1\r\nHost: provider\r\nAccept-Encoding: gzip\r\n\r\n');
    await new Promise((resolve) => {
      socket.once('close', resolve);
      setTimeout(() => socket.destroy(), 100);
    });
    await mock.close();
    return text;
  }

  it('is visible in the bytes sent', async () => {
    expect(await raw('http-1.0')).toMatch(/^HTTP\/1\.0 401 /);
    expect((await raw('interim-answers')).match(/^HTTP\/1\.1 \d+/gm)).toEqual(
      [102, 103, 401].map((status) => `HTTP/1.1 ${status}`),
    );
    expect(await raw('chunked')).toContain('Transfer-Encoding: chunked');
    expect(await raw('gzip')).toContain('Content-Encoding: gzip');
    expect(await raw('connection-close')).toContain('Connection: close');
  });
});
