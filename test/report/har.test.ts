import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Exchange } from '../../src/core/exchange.ts';
import { writeHar } from '../../src/report/formats/har.ts';
import type { HarExchange } from '../../src/report/report-data.ts';
import { chromiumPath, launch } from '../support/browser.ts';

const answered: Exchange = {
  number: 1,
  request: {
    method: 'GET',
    origin: 'https://api.example',
    target: '/v1/printers?$count=true&%24pagesize=7',
    headers: [['Authorization', 'Bearer [token-1]']],
    body: null,
  },
  answer: {
    status: 200,
    statusText: 'OK',
    httpVersion: '1.1',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from('{"items":[]}'),
    bodyBytesOnWire: 12,
  },
  failure: null,
  startedAt: Date.UTC(2026, 10, 21),
  firstByteMs: 3,
  durationMs: 5,
  connection: 2,
  retry: 0,
};

const failed: Exchange = {
  ...answered,
  number: 2,
  answer: null,
  failure: { code: 'refused', message: 'nobody listens there' },
  firstByteMs: null,
  connection: null,
};

const binary: Exchange = {
  ...answered,
  number: 3,
  request: { ...answered.request, method: 'POST', target: '/connect/token', body: 'a=b' },
  answer: { ...(answered.answer as NonNullable<Exchange['answer']>), body: Uint8Array.from([0xff, 0]) },
};

async function* exchanges(): AsyncGenerator<HarExchange> {
  for (const exchange of [answered, failed, binary]) {
    yield { target: 'acme', exchange, check: exchange === answered ? 'list/envelope' : null };
  }
}

it('a HAR holds what HAR 1.2 asks for of every entry', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-har-'));
  try {
    const file = path.join(folder, 'evidence.har');
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
        url: 'https://api.example/v1/printers?$count=true&%24pagesize=7',
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
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a HAR hides nothing that a provider hides in its answer', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-har-'));
  const body = '{"items":["\u009b31m\u202e\u200b"]}';
  const answer = { ...(answered.answer as NonNullable<Exchange['answer']>), body: Buffer.from(body) };
  async function* hiding(): AsyncGenerator<HarExchange> {
    yield { target: 'acme', exchange: { ...answered, answer }, check: null };
  }
  try {
    const file = path.join(folder, 'evidence.har');
    await writeHar({ exchanges: hiding }, file);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/[\u0080-\u009f\u200b\u202e]/);
    expect(JSON.parse(text).log.entries[0].response.content.text).toBe(body);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.skipIf(chromiumPath === null)('a browser tool answers from it, as the provider did', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-har-'));
  const browser = await launch();
  try {
    const file = path.join(folder, 'evidence.har');
    await writeHar({ exchanges }, file);
    const page = await browser.newPage();
    await page.routeFromHAR(file, { notFound: 'abort' });
    await page.goto('https://api.example/v1/printers?$count=true&%24pagesize=7');
    expect(await page.textContent('body')).toBe('{"items":[]}');
    const bytes = await page.evaluate(async () => {
      const answer = await fetch('/connect/token', { method: 'POST', body: 'a=b' });
      return [answer.status, ...new Uint8Array(await answer.arrayBuffer())];
    });
    expect(bytes).toEqual([200, 0xff, 0]);
    await expect(page.goto('https://api.example/v1/elsewhere')).rejects.toThrow();
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
});
