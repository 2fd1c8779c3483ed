import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { EvidenceWriter } from '../../../src/evidence/writer.ts';
import { said } from '../../support/fake-host.ts';
import { entry } from '../../support/report/evidence-sample.ts';
import { FORBIDDEN, HOSTILE, results, target } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('show');
const SECRET = 'the-token-of-this-test';

function exchange(number: number, body: string | Uint8Array, parts: Partial<Exchange> = {}): Exchange {
  const sample = entry(number, '/v1/printers?$count=true', '').exchange;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const answer = sample.answer === null ? null : { ...sample.answer, body: bytes };
  return { ...sample, answer, ...parts };
}

beforeAll(async () => {
  const redactor = new Redactor();
  redactor.addToken(SECRET);
  const writer = new EvidenceWriter(path.join(folder, 'evidence.ndjson.gz'), redactor);
  const body = `{"items": []}\n${HOSTILE} ${SECRET}`;
  writer.record('acme', exchange(1, body), 'list/envelope');
  writer.record('other', exchange(1, 'of the other'));
  // The writer refers to a body that it has already written.
  writer.record('acme', exchange(2, body));
  writer.record('acme', exchange(3, new Uint8Array([0xff, 0xfe, 1])));
  const failure = { code: 'refused', message: 'nothing listens there' } as const;
  writer.record('acme', exchange(4, '', { answer: null, failure }));
  await writer.close();
  const run = results([target([], { name: 'acme' }), target([], { name: 'other' })]);
  writeFileSync(path.join(folder, 'results.json'), JSON.stringify(run));
});

const show = (...words: string[]) => said(['show', folder, ...words]);

describe('assay show', () => {
  test.each(['1', '2'])('prints request and answer without secrets and escapes: %s', async (number) => {
    const { status, out } = await show(number, '--target', 'acme');
    expect(status).toBe(0);
    for (const part of [
      'GET https://api.acme.example/v1/printers?$count=true\n',
      'Authorization: Bearer [token-1]\n',
      '\nHTTP/1.1 200 OK\nContent-Type: application/json\n\n{"items": []}\n',
    ])
      expect(out).toContain(part);
    expect(out).not.toMatch(FORBIDDEN);
    expect(out).not.toContain(SECRET);
    expect(out.includes('list/envelope')).toBe(number === '1');
  });

  test('distinguishes targets', async () => {
    expect((await show('1', '--target', 'other')).out).toContain('of the other');
  });

  test('prints the same as JSON, with binary data in base64', async () => {
    const facts = async (number: string): Promise<unknown> =>
      JSON.parse((await show(number, '--target', 'acme', '--json')).out);
    expect(await facts('1')).toMatchObject({
      target: 'acme',
      check: 'list/envelope',
      number: 1,
      request: { method: 'GET', target: '/v1/printers?$count=true' },
      answer: { status: 200, body: `{"items": []}\n${HOSTILE.toWellFormed()} [token-1]` },
      failure: null,
    });
    expect(await facts('3')).toMatchObject({ answer: { body: '//4B', bodyEncoding: 'base64' } });
    expect(await facts('4')).toMatchObject({ answer: null, failure: { code: 'refused' } });
    expect((await show('4', '--target', 'acme')).out).toContain('No answer: nothing listens there');
  });

  test.each([
    [['5', '--target', 'acme'], 'acme has no exchange 5; the evidence has 1 to 4'],
    [['1'], 'the run has several targets; add --target acme or other'],
    [['1', '--target', 'none'], 'the run has no target "none"'],
    [['link/offset'], 'an exchange is named by its number'],
  ])('rejects %j', async (words, sentence) => {
    const { status, out, err } = await show(...words);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toContain(sentence);
  });
});
