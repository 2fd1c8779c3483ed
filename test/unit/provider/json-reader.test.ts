import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ambiguous,
  exactNumber,
  member,
  parsePlainJson,
  readJson,
} from '../../../src/provider/json-reader.ts';

function read(body: string | Uint8Array, maxDepth = 100) {
  return readJson({ body: typeof body === 'string' ? Buffer.from(body) : body }, maxDepth);
}

describe('readJson', () => {
  it('reads a number with a million zeros between its digits', () => {
    const digits = `1${'0'.repeat(1_000_000)}1`;
    const body = read(`{"count":${digits}}`);
    expect(body.ok && body.exact.get('count')?.text).toMatch(/^1000.*\(1000002 digits/);
  });

  it.each([
    ['', 'the body is empty'],
    ['\uFEFF{}', 'byte order mark'],
    ['{} {}', 'not JSON'],
    ['{}\0', 'not JSON'],
    ['{"a":1', 'not JSON'],
    ["{'a':1}", 'not JSON'],
    ['{"a":NaN}', 'not JSON'],
    ['{"a":01}', 'not JSON'],
    ['{"a":"\n"}', 'not JSON'],
    [Buffer.from('{"a":"ü"}', 'latin1'), 'not valid UTF-8'],
    [Buffer.from('\uFEFF{}', 'utf16le'), 'not valid UTF-8'],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not valid UTF-8'],
  ])('refuses %j', (body, why) => {
    expect(read(body)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  it('does not read JSON nested 200,000 deep, and names the limit', () => {
    for (const body of [
      `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      '['.repeat(200_000),
      `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
    ]) {
      expect(read(body)).toEqual({
        ok: false,
        why: 'the body is nested more than 100 deep (limits.maxJsonDepth)',
        limit: 'maxJsonDepth',
      });
    }
    expect(read(`${'['.repeat(100)}${']'.repeat(100)}`).ok).toBe(true);
    expect(read(`["${'['.repeat(1000)}", "\\"${'{'.repeat(1000)}\\\\"]`).ok).toBe(true);
  });

  it('treats __proto__ and constructor as data', () => {
    const body = read('{"__proto__":{"items":[]},"constructor":{"prototype":{"count":1}}}');
    if (!body.ok) throw new Error(body.why);
    expect(member(body.value, 'items')).toBeUndefined();
    expect(member(body.value, 'count')).toBeUndefined();
    expect(member(body.value, 'toString')).toBeUndefined();
    expect('items' in {}).toBe(false);
  });

  it('finds duplicate names in any spelling', () => {
    const body = read(
      '{"count":1,"items":[{"id":"a"},{"id":"b","x":[0,{"y":1,"y":2}],"\\u0069d":"c"}],"c\\u006funt":1}',
    );
    if (!body.ok) throw new Error(body.why);
    expect(body.doubled).toEqual([
      { path: ['items', 1, 'x', 1], name: 'y' },
      { path: ['items', 1], name: 'id' },
      { path: [], name: 'count' },
    ]);
    expect(ambiguous(body, ['count'])).toBe('count');
    expect(ambiguous(body, ['id', 'items'])).toBeNull();
  });

  it('keeps the digits of numbers that a double cannot represent', () => {
    const body = read('{"a":9007199254740993,"b":12,"items":[{"count":1e999}],"count" : 1e400}');
    if (!body.ok) throw new Error(body.why);
    expect([...body.exact]).toEqual([
      ['a', { text: '9007199254740993', integer: true }],
      ['count', { text: '1e400', integer: true }],
    ]);
  });

  it('reads long lists and long strings of escapes in linear time', () => {
    const items = Array.from({ length: 300_000 }, (_one, id) => ({
      id: `${id}`,
      displayName: 'a',
      agent: 'b',
    }));
    expect(read(JSON.stringify({ items })).ok).toBe(true);
    expect(read(JSON.stringify({ items: ['\\'.repeat(2_000_000), '"'.repeat(2_000_000)] })).ok).toBe(true);
  });
});

describe('exactNumber', () => {
  it.each([
    ['12', null],
    ['12.0', null],
    ['120e-1', null],
    ['1.5e1', null],
    ['-0', null],
    ['0.000', null],
    ['12.5', null],
    ['123456789012345', null],
    ['9007199254740992', { text: '9007199254740992', integer: true }],
    ['90071992547409920e-1', { text: '9007199254740992', integer: true }],
    ['12.00000000000000000001', { text: '1200000000000000000001e-20', integer: false }],
    ['1e-400', { text: '1e-400', integer: false }],
    ['-1e400', { text: '-1e400', integer: true }],
    ['1e999999999999999999999999', { text: '1e1e+24', integer: true }],
  ])('%s', (text, exact) => {
    expect(exactNumber(text, Number(text))).toEqual(exact);
  });
});

const MAX_DEPTH = 4;

/** Tokens of JSON in any order, mostly invalid, including everything that is not plain. */
const pieces = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', ' ', '\n', '"a"', '"a"', '"b"', '"a":', '"a" : ', '"\\u0061":', '":"'],
  ...['"\\":"', '"\\\\":', '1', '0', '-1', '1e400', '1E2', '1e-400', '123456789012345', '1234567890123456'],
  ...['1.00000000000000001', 'null', 'true', '"ü":', '{"a":1,"a":2}', '{"a":{"b":[1]}}', '[[[[[1]]]]]'],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.array(pieces, { maxLength: 4 }).map((parts) => `{"a":${parts.join('')}}`),
  fc.json(),
);

describe('parsePlainJson', () => {
  it('reads only texts that the parsed value describes completely', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = parsePlainJson(Buffer.from(text), MAX_DEPTH);
        if (value === undefined) return;
        expect(read(text, MAX_DEPTH)).toEqual({ ok: true, value, doubled: [], exact: new Map() });
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    '{"items":[{"id":"a","at":"12:30","port":9100,"x":{"y":null}}],"count":1,"nextPageLink":"/a?b=%22:c"}',
    '[{"id" : 1,\n"name"\t:\r"a : b"}]',
    '{"escaped":"\\" and \\u00e4"}',
    '{"__proto__":1,"constructor":{}}',
  ])('reads %s', (text) => {
    expect(parsePlainJson(Buffer.from(text), MAX_DEPTH)).toEqual(JSON.parse(text));
  });

  it.each([
    ['a doubled name', '{"a":1,"b":{"c":1,"c":1}}'],
    ['a name that is doubled by an escape', '{"a":1,"\\u0061":1}'],
    ['a count of 16 digits', '{"count":9007199254740993}'],
    ['a count with an exponent', '{"count": 1e400}'],
    ['a count with a long fraction', '{"count":1.00000000000000001}'],
    ['more depth than allowed', '{"a":[[[[]]]]}'],
    ['what is not JSON', '{"a":1}}'],
  ])('leaves %s to the exact reader', (_what, text) => {
    expect(parsePlainJson(Buffer.from(text), MAX_DEPTH)).toBeUndefined();
  });
});
