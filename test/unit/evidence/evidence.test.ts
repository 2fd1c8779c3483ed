import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { EvidenceEntry } from '../../../src/evidence/line.ts';
import { EvidenceError } from '../../../src/evidence/line.ts';
import { indexEvidence, readEvidence } from '../../../src/evidence/reader.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { EvidenceWriter } from '../../../src/evidence/writer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = temporaryFolder('evidence');
  file = path.join(folder, 'evidence.ndjson.gz');
});

function answered(number: number, body: string | Uint8Array): Exchange {
  return {
    number,
    request: {
      method: 'GET',
      origin: 'https://api.example',
      target: '/v1/printers?$count=true',
      headers: [['Authorization', 'Bearer the-token']],
      body: null,
    },
    answer: {
      status: 200,
      statusText: 'OK',
      httpVersion: '1.1',
      headers: [
        ['Content-Type', 'application/json'],
        ['Set-Cookie', 'a'],
        ['Set-Cookie', 'b'],
      ],
      body: typeof body === 'string' ? Buffer.from(body) : body,
      bodyBytesOnWire: body.length,
    },
    failure: null,
    startedAt: 1_700_000_000_123,
    firstByteMs: 1.5,
    durationMs: 2.25,
    connection: 1,
    retry: 0,
  };
}

function failed(number: number): Exchange {
  const failure = { code: 'refused', message: 'the-token was refused' } as const;
  return { ...answered(number, ''), answer: null, failure, firstByteMs: null, connection: null };
}

async function written(exchanges: readonly Exchange[]): Promise<void> {
  const redactor = new Redactor();
  redactor.addToken('the-token');
  const writer = new EvidenceWriter(file, redactor);
  for (const exchange of exchanges) writer.record('acme', exchange);
  await writer.close();
}

async function read(): Promise<EvidenceEntry[]> {
  const entries: EvidenceEntry[] = [];
  for await (const entry of readEvidence(file)) entries.push(entry);
  return entries;
}

function lines(): string[] {
  return gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
}

const LINE = {
  target: 'acme',
  number: 2,
  startedAt: '2026-11-21T05:13:31.042Z',
  durationMs: 1,
  retry: 0,
  request: { method: 'GET', origin: 'https://acme.example', target: '/', headers: [], body: null },
  answer: null,
  failure: { code: 'refused', message: 'nobody listens' },
  tokens: [],
};

describe('evidence', () => {
  it('contains no secret that was known when an exchange was recorded, even if written later', async () => {
    const redactor = new Redactor();
    redactor.addToken('the-token');
    const writer = new EvidenceWriter(file, redactor);
    writer.record('acme', answered(1, 'the-token, and soon another-secret'));
    redactor.add('another-secret', 'client-secret');
    writer.record('acme', answered(2, 'the-token and another-secret'));
    redactor.addToken('some-third-one');
    writer.record('acme', answered(3, '{"access_token":"some-third-one"}'));
    writer.record('acme', answered(4, 'some-third-one'));
    await writer.close();
    const entries = await read();
    expect(entries.map(({ exchange }) => Buffer.from(exchange.answer?.body ?? []).toString())).toEqual([
      '[token-1], and soon another-secret',
      '[token-1] and [client-secret]',
      '{"access_token":"[token-2]"}',
      '[token-2]',
    ]);
    expect(entries.map(({ tokens }) => tokens.map(({ label }) => label))).toEqual([
      ['token-1'],
      [],
      ['token-2'],
      [],
    ]);
  });

  it('is read back as recorded, except for secrets', async () => {
    const bodies = [
      '{"items":[]}',
      '',
      'line\u2028separators\u2029 and \r\n breaks \0 and "quotes"',
      '\ufeffwith a byte order mark',
      Uint8Array.from([0xff, 0, 0xc3, 0x28]),
      '{"items":[]}',
      `${'ü€😀'.repeat(60_000)}`,
      Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256),
    ];
    await written([...bodies.map((body, index) => answered(index + 1, body)), failed(9)]);

    const entries = await read();

    expect(entries).toHaveLength(9);
    for (const [index, body] of bodies.entries()) {
      const { exchange, target } = entries[index] as EvidenceEntry;
      const { body: readBody, ...answer } = exchange.answer as NonNullable<Exchange['answer']>;
      const { body: _body, ...expected } = answered(index + 1, body).answer as NonNullable<
        Exchange['answer']
      >;
      expect(Buffer.from(readBody).equals(Buffer.from(body as string))).toBe(true);
      expect(answer).toEqual(expected);
      expect(target).toBe('acme');
      expect(exchange.request.headers).toEqual([['Authorization', 'Bearer [token-1]']]);
      expect(exchange).toMatchObject({ number: index + 1, startedAt: 1_700_000_000_123, firstByteMs: 1.5 });
    }
    expect(entries[8]?.exchange).toMatchObject({ answer: null, connection: null, durationMs: 2.25 });
    expect(entries[8]?.exchange.failure?.message).toBe('[token-1] was refused');
  });

  it('writes bodies as JSON.stringify does, and reads them back', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 200, unit: 'binary' }),
      fc.string({
        maxLength: 200,
        unit: fc.constantFrom('a', 'u', '"', '\\', '\n', '\0', '\x1f', '\x7f', 'ü', 'd83d', '\u2028', '😀'),
      }),
    );
    // Longer than the pieces in which bodies are written and read.
    const filler = fc.constantFrom(0, 81_910, 261_000, 1_048_570).map((length) => 'x'.repeat(length));
    await fc.assert(
      fc.asyncProperty(filler, text, fc.boolean(), async (before, rest, isText) => {
        const whole = before + rest.toWellFormed().repeat(before === '' ? 1 : 20);
        const body = isText ? Buffer.from(whole) : Buffer.from([0xff, ...Buffer.from(whole)]);
        await written([answered(1, body)]);
        const [entry] = await read();
        expect(body.equals(entry?.exchange.answer?.body ?? Buffer.alloc(0))).toBe(true);
        const content = isText ? { text: whole } : { base64: body.toString('base64') };
        expect(lines()[0]).toContain(`,"body":${JSON.stringify(content)}}`);
      }),
      { numRuns: 15 },
    );
    // Large and full of escapes, which would take more room as text than as base64.
    const asBase64 = ['\\'.repeat(2_100_001), '\u0001'.repeat(1_100_000)];
    const asText = ['\0'.repeat(300_000), `a${'ü'.repeat(1_100_000)}`, '😀ü"\\ abcdefgh'.repeat(100_000)];
    for (const whole of [...asBase64, ...asText]) {
      await written([answered(1, whole)]);
      expect(lines()[0]?.includes(',"body":{"base64":"')).toBe(asBase64.includes(whole));
      expect(Buffer.from((await read())[0]?.exchange.answer?.body ?? []).toString()).toBe(whole);
    }
  });

  it('writes lines that the schema describes', async () => {
    await written([answered(1, 'x'), answered(2, 'x'), answered(3, Uint8Array.from([0xff])), failed(4)]);
    const schema: unknown = JSON.parse(readFileSync(packageFile('schemas/evidence.schema.json'), 'utf8'));
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
    const validate = ajv.compile(schema as object);
    for (const line of lines()) {
      validate(JSON.parse(line));
      expect(validate.errors).toBeNull();
    }
    expect(validate({ ...JSON.parse(lines()[0] ?? ''), failure: { code: 'tls', message: '' } })).toBe(false);
  });

  it('stores a body once, under the hash of the recorded bytes', async () => {
    const page = 'a page with the-token in it';
    await written([answered(1, page), answered(2, page)]);
    const [first, second] = lines().map((line) => JSON.parse(line));
    const recorded = 'a page with [token-1] in it';
    expect(first.body).toEqual({ text: recorded });
    expect(second.body).toBeNull();
    expect(first.answer.body).toEqual({
      sha256: createHash('sha256').update(recorded).digest('hex'),
      bytes: recorded.length,
      bytesOnWire: page.length,
    });
    expect(second.answer.body).toEqual(first.answer.body);
  });

  it('returns the index that a reader gathers', async () => {
    const writer = new EvidenceWriter(file, new Redactor());
    for (const [index, body] of ['one', 'two', 'one', 'one'].entries())
      writer.record('acme', answered(index + 1, body));
    writer.conclude('acme', { 'list/items': [[1, 4]] });
    const index = await writer.close();
    expect(index.repetitions.map(({ number }) => number)).toEqual([3, 4]);
    expect(index.uses.get('acme')).toEqual({ 'list/items': [[1, 4]] });
    expect(await indexEvidence(file)).toEqual(index);
  });

  it('resolves ready when the queue has room', async () => {
    const writer = new EvidenceWriter(file, new Redactor());
    for (let number = 1; number <= 40; number += 1) {
      writer.record('acme', answered(number, `${number}`.padEnd(1_000_000, 'x')));
      await writer.ready();
    }
    await writer.close();
    expect(await read()).toHaveLength(40);
  });

  it('keeps no unneeded body', async () => {
    const page = 'x'.repeat(10_000);
    await written([answered(1, page), answered(2, page), answered(3, page)]);
    const lengths: number[] = [];
    for await (const { exchange } of readEvidence(file, { needsBody: (_target, number) => number !== 2 })) {
      if (exchange.number === 2)
        expect(() => exchange.answer?.body).toThrow(/^the body of exchange 2 of .* was not requested$/);
      else lengths.push(exchange.answer?.body.length ?? 0);
    }
    expect(lengths).toEqual([10_000, 10_000]);
  });

  it('reads joined files', async () => {
    await written([answered(1, 'x')]);
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes, bytes]));
    expect((await read()).map(({ exchange }) => exchange.number)).toEqual([1, 1]);
  });

  it('reports a write error once, on close', async () => {
    const writer = new EvidenceWriter(path.join(folder, 'absent', 'file.gz'), new Redactor());
    for (let number = 1; number <= 20; number += 1) {
      writer.record('acme', answered(number, `${number}`.padEnd(1_000_000, 'x')));
      await writer.ready();
    }
    await expect(writer.close()).rejects.toThrow(/^the evidence could not be written to .*absent.*ENOENT/);
  });

  it('rejects a file that is missing, truncated or not evidence', async () => {
    await expect(read()).rejects.toThrow(EvidenceError);
    await written([answered(1, 'x'), answered(2, 'y'.repeat(10_000))]);
    truncateSync(file, 300);
    await expect(read()).rejects.toThrow(/cannot be read(?: after line \d+)?: /);
    writeFileSync(file, gzipSync('{"format":"other"}\n'));
    await expect(read()).rejects.toThrow(/^line 1 of .* is not in the format assay-evidence\/1$/);
    writeFileSync(file, 'no gzip');
    await expect(read()).rejects.toThrow(EvidenceError);
  });

  it.each([
    [{ x: 1 }],
    [{ target: 'acme', setting: null }],
    [{ target: 'acme', setting: { target: {}, options: {}, secrets: [], schemas: {} } }],
    [{ ...LINE, answer: null, failure: {} }],
    [{ ...LINE, tokens: [{ label: 'token-1', length: 3e8 }] }],
    [{ target: 'acme', uses: { 'link/next': 1 } }],
    [{ ...LINE, request: { ...LINE.request, headers: [['Accept']] } }],
    [{ ...LINE, answer: {} }],
    [{ ...LINE, tokens: [null] }],
    [{ ...LINE, startedAt: 'then' }],
  ])('rejects a line of another shape in an appended part: %j', async (line) => {
    await written([answered(1, 'x')]);
    const added = (value: object): Buffer =>
      Buffer.concat([readFileSync(file), gzipSync(`${JSON.stringify(value)}\n`)]);
    writeFileSync(file, added({ format: 'assay-evidence/1', ...LINE }));
    expect(await read()).toHaveLength(2);
    writeFileSync(file, added({ format: 'assay-evidence/1', ...line }));
    await expect(read()).rejects.toThrow(/^line 3 of .* is not in the format/);
  });
});
