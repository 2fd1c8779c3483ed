import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { writeHar } from '../../../src/report/formats/har.ts';
import type { ReportEntry } from '../../../src/report/report-data.ts';
import { answered, exchanges } from '../../support/report/har-sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('a HAR contains all members that HAR 1.2 requires', async () => {
  const file = path.join(temporaryFolder('har'), 'evidence.har');
  await writeHar({ exchanges }, file);
  const { log } = JSON.parse(readFileSync(file, 'utf8'));
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'assay', version: expect.any(String) } });
  const [first, second, third] = log.entries;
  for (const entry of log.entries) {
    expect(entry).toMatchObject({
      startedDateTime: '2026-11-21T00:00:00.000Z',
      time: 5,
      request: { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: expect.any(Number) },
      response: { cookies: [], redirectURL: '', headersSize: -1, bodySize: expect.any(Number) },
      cache: {},
      timings: { send: 0, wait: expect.any(Number), receive: expect.any(Number) },
    });
  }
  expect(first).toMatchObject({
    request: {
      url: 'https://api.acme.example/v1/printers?$count=true&%24pagesize=7',
      queryString: [
        { name: '$count', value: 'true' },
        { name: '%24pagesize', value: '7' },
      ],
    },
    response: { status: 200, content: { size: 12, mimeType: 'application/json', text: '{"items":[]}' } },
    timings: { wait: 3, receive: 2 },
    connection: '2',
    comment: 'exchange 1 of acme, for list/envelope',
  });
  expect(second).toMatchObject({
    response: { status: 0, statusText: '', _error: 'nobody listens there' },
    comment: 'exchange 2 of acme',
  });
  expect(third).toMatchObject({
    request: { postData: { text: 'a=b' } },
    response: { content: { size: 2, text: '/wA=', encoding: 'base64' } },
  });
});

it('a HAR shows invisible characters of a provider', async () => {
  const body = '{"items":["\u009b31m\u202e\u200b"]}';
  const answer = { ...(answered.answer as NonNullable<Exchange['answer']>), body: Buffer.from(body) };
  async function* hiding(): AsyncGenerator<ReportEntry> {
    yield { target: 'acme', exchange: { ...answered, answer }, check: null };
  }
  const file = path.join(temporaryFolder('har'), 'evidence.har');
  await writeHar({ exchanges: hiding }, file);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/[\u0080-\u009f\u200b\u202e]/);
  expect(JSON.parse(text).log.entries[0].response.content.text).toBe(body);
});
