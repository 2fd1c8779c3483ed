import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Header } from '../../../src/core/exchange.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { type Pattern, Scanner } from '../../../src/evidence/redaction/scanner.ts';
import { formsOf } from '../../../src/evidence/redaction/secret-forms.ts';
import { plainlyRedacted } from './plain-search.ts';

/** Window size in bytes; see redactor.ts. */
const WINDOW = 262_144;

/** Length of the searched part of a secret; see redactor.ts. */
function patternsOf(secret: string, label: string): Pattern[] {
  if (secret.length < 6) return [{ bytes: Buffer.from(secret), label, wholeToken: true, isCommon: false }];
  const cases = [secret.toLowerCase(), secret.toUpperCase()].map((text) => Buffer.from(text));
  const distinct = new Map([...formsOf(secret), ...cases].map((form) => [form.toString('latin1'), form]));
  return [...distinct.values()].map((bytes) => ({ bytes, label, wholeToken: false, isCommon: false }));
}

/** Escapes of bytes, and near misses. */
const WAYS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => Buffer.from(`x${secret}`).toString('base64'),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => JSON.stringify(secret),
  (secret) =>
    secret.replace(/.$/u, (last) => `%${Buffer.from(last).toString('hex').match(/../g)?.join('%')}`),
  (secret) => secret.replace(/./u, (first) => `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (secret) => `${secret.slice(0, 3)}\r\n \t${secret.slice(3)}`,
  (secret) => `${secret.slice(0, 2)}\\/${secret.slice(2)}`,
  (secret) => encodeURIComponent(secret.toWellFormed()),
  (secret) => secret.toUpperCase(),
  (secret) => secret.replace(/./gu, (letter) => `&#${letter.codePointAt(0)};`),
  (secret) => secret.replaceAll('+', '&plus;').replaceAll('/', '&#x2f;'),
  (secret) => secret.replace(/./u, (first) => `\\x${Buffer.from(first).toString('hex').slice(0, 2)}`),
  (secret) => secret.replace(/./u, (first) => `%u${first.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (secret) => `${secret.slice(0, 3)}=\r\n${secret.slice(3).replaceAll('=', '=3D')}`,
  (secret) => secret.slice(0, -1),
  (secret) => secret.slice(1),
];
const NOISE = [
  '',
  ' ',
  '"',
  'a',
  'xyz',
  '%',
  '%4',
  '\\',
  '\\\\',
  '\n',
  '\r\n',
  '\n  ',
  '\r ',
  '-',
  '%41',
  '\\n',
  'ü',
  '0123456789',
  '&',
  '&amp',
  '&lt;',
  '&#65;',
  '=',
  '=\n',
  '=4',
  '=41',
  '\\x41',
  '%u0041',
];

const secrets = fc.array(
  fc.oneof(
    fc.string({ minLength: 3, maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('a', 'b', '%', '4', '1', '\\', '/', '+'),
      minLength: 5,
      maxLength: 24,
    }),
    fc.base64String({ minLength: 20, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 7, maxLength: 20 }),
  ),
  { minLength: 1, maxLength: 4 },
);
const pieces = fc.array(
  fc.oneof(
    fc.record({ secret: fc.nat(3), way: fc.nat(WAYS.length - 1) }),
    fc.constantFrom(...NOISE),
    fc.nat(60).map((length) => '.'.repeat(length)),
    fc.string(),
  ),
  { maxLength: 30 },
);

function written(
  known: readonly string[],
  parts: typeof pieces extends fc.Arbitrary<infer Parts> ? Parts : never,
): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? part : (WAYS[part.way] ?? String)(known[part.secret % known.length] ?? ''),
    )
    .join('');
}

function redactorOf(known: readonly string[]): {
  readonly redactor: Redactor;
  readonly patterns: readonly Pattern[];
} {
  const redactor = new Redactor();
  const distinct = [...new Set(known)].filter((secret) => secret !== '');
  for (const [index, secret] of distinct.entries()) redactor.add(secret, `s${index}`);
  return { redactor, patterns: distinct.flatMap((secret, index) => patternsOf(secret, `s${index}`)) };
}

describe('the search for secrets', () => {
  it('equals a brute-force search in every reading', () => {
    fc.assert(
      fc.property(secrets, pieces, fc.nat(7), (known, parts, shift) => {
        const { redactor, patterns } = redactorOf(known);
        const text = Buffer.from(`${'#'.repeat(shift)}${written(known, parts)}`);
        // The text starts at any offset in memory.
        const moved = Buffer.alloc(text.length + 8).subarray(shift, shift + text.length);
        text.copy(moved);
        expect(Buffer.from(redactor.redactBytes(moved)).toString('latin1')).toBe(
          plainlyRedacted(text, patterns).toString('latin1'),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('equals a brute-force search at the edges of its window', () => {
    fc.assert(
      fc.property(secrets, pieces, fc.integer({ min: -400, max: 40 }), (known, parts, shift) => {
        const { redactor, patterns } = redactorOf(known);
        const text = Buffer.from(`${'.'.repeat(WINDOW + shift)}${written(known, parts)}${'.'.repeat(50)}`);
        expect(Buffer.from(redactor.redactBytes(text)).equals(plainlyRedacted(text, patterns))).toBe(true);
      }),
      { numRuns: 5 },
    );
  });

  it.each([7, 10, 11, 18, 19, 40])('finds patterns of %i bytes at any offset', (length) => {
    const bytes = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH').subarray(0, length);
    const scanner = new Scanner();
    scanner.add({ bytes, label: 'it', wholeToken: false, isCommon: false });
    for (let memory = 0; memory < 8; memory += 1) {
      for (let start = 0; start < 40; start += 1) {
        const text = Buffer.alloc(100).subarray(memory, memory + start + length);
        bytes.copy(text, start);
        expect(scanner.find(text)).toEqual([{ start, end: start + length, label: 'it' }]);
        expect(scanner.find(text.subarray(0, -1))).toEqual([]);
      }
    }
  });

  it('covers every occurrence of a long periodic pattern', () => {
    for (const unit of ['a', 'ab', 'abcabd', 'x'.repeat(70)]) {
      const scanner = new Scanner();
      const bytes = Buffer.from(unit.repeat(200)).subarray(0, 300);
      scanner.add({ bytes, label: 'it', wholeToken: false, isCommon: false });
      const before = Buffer.from('..');
      const text = Buffer.concat([before, Buffer.from(unit.repeat(500)).subarray(0, 1000), before, bytes]);
      const found = scanner.find(text);
      const covered = new Set(
        found.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_none, place) => start + place),
        ),
      );
      const expected = new Set<number>();
      for (let start = 0; start + bytes.length <= text.length; start++)
        if (text.subarray(start, start + bytes.length).equals(bytes))
          for (let place = start; place < start + bytes.length; place++) expected.add(place);
      expect(covered).toEqual(expected);
    }
  });

  it('reads long runs of the same byte once', () => {
    const redactor = new Redactor();
    redactor.add('a'.repeat(100_000), 'token');
    expect(redactor.redact('a'.repeat(900_000))).toBe('[token]');
    const text = `{}${' '.repeat(1_000_000)}${'\n'.repeat(2_000_000)}{}`;
    expect(redactor.redact(text) === text).toBe(true);
  });

  it('finds each of several thousand patterns of any length', () => {
    const scanner = new Scanner();
    const patterns = Array.from({ length: 30_000 }, (_one, index): Pattern => {
      const bytes = Buffer.from(`${(index * 2_654_435_761).toString(36)}.${'x'.repeat(8 + (index % 20))}`);
      return { bytes, label: String(index), wholeToken: false, isCommon: false };
    });
    for (const pattern of patterns) scanner.add(pattern);
    for (const pattern of patterns.slice(0, 2_000)) {
      const text = Buffer.concat([Buffer.from(' '.repeat(Number(pattern.label) % 9)), pattern.bytes]);
      expect(scanner.find(text).map(({ label }) => label)).toContain(pattern.label);
    }
    const short = { bytes: Buffer.from('abc'), label: 'short', wholeToken: false, isCommon: false };
    scanner.add(short);
    expect(scanner.find(Buffer.from('..abc.'))).toEqual([{ start: 2, end: 5, label: 'short' }]);
  });

  it('removes a secret from when it is added', () => {
    const redactor = new Redactor();
    redactor.add('first-secret-4711', 'first');
    const text = 'first-secret-4711, second-secret-0815';
    expect(redactor.redact(text)).toBe('[first], second-secret-0815');
    expect(redactor.redact(text)).toBe('[first], second-secret-0815');
    redactor.add('second-secret-0815', 'second');
    expect(redactor.redact(text)).toBe('[first], [second]');
  });

  it('keeps tiny secrets in words of Assay only', () => {
    const redactor = new Redactor();
    redactor.add('7', 'tiny');
    expect(redactor.redactWords('7 of 9')).toBe('7 of 9');
    expect(redactor.redact('7 of 9')).toBe('[tiny] of 9');
    expect(redactor.redactWords('7 of 9')).toBe('7 of 9');
  });
});

describe('the headers of an exchange', () => {
  it('are the same objects if they contain no secret', () => {
    const redactor = new Redactor();
    redactor.add('secret-4711-0815', 'it');
    const plain: readonly Header[] = [
      ['Accept', 'application/json'],
      ['X-Long', 'some words'],
    ];
    const request = { method: 'GET', origin: 'https://api.example', target: '/', headers: plain, body: null };
    expect(redactor.redactRequest(request).headers).toBe(plain);
    const secret: Header = ['Authorization', 'Bearer secret-4711-0815'];
    const folded: Header = ['X-Folded', 'secret-47 \t11-0815'];
    const { headers } = redactor.redactRequest({ ...request, headers: [...plain, secret, folded] });
    expect(headers).toEqual([...plain, ['Authorization', 'Bearer [it]'], ['X-Folded', '[it]']]);
    redactor.add('application/json', 'type');
    expect(redactor.redactRequest(request).headers[0]).toEqual(['Accept', '[type]']);
  });
});
