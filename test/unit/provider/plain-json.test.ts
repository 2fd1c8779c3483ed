import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePlainJson, readJson } from '../../../src/provider/json-reader.ts';

const MAX_DEPTH = 4;

function readExactly(text: string) {
  const body = Buffer.from(text);
  const answer = { status: 200, statusText: 'OK', httpVersion: '1.1', headers: [], body };
  return readJson({ ...answer, bodyBytesOnWire: body.length }, MAX_DEPTH);
}

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
        expect(readExactly(text)).toEqual({ ok: true, value, doubled: [], exact: new Map() });
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
