import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../src/core/json-text.ts';
import type { Json } from '../../../src/core/results.ts';
import { member } from '../../../src/provider/json-reader.ts';
import { readList } from '../../../src/provider/list-reader.ts';
import { kindOf } from '../../../src/provider/schemas.ts';

const NAMES = ['items', 'nextPageLink', 'count'];

/** The facts of a text. */
function readText(text: string, maxRecordBytes: number) {
  const items: [unknown, unknown][] = [];
  const read = readList(
    { body: Buffer.from(text) },
    NAMES,
    { maxJsonDepth: 20, maxRecordBytes },
    ({ value, doubled }) => items.push([value, doubled]) > 0,
  );
  return read.ok ? { ...read, items } : read;
}

/** An object as JSON text, with duplicate and escaped names. */
function textOf(members: readonly (readonly [string, Json | string])[]): string {
  return `{${members
    .map(([name, value], index) => {
      const literal = index % 3 === 2 ? `"${escaped(name)}"` : JSON.stringify(name);
      return `${literal}:${typeof value === 'string' ? value : JSON.stringify(value)}`;
    })
    .join(' , ')}}`;
}

function escaped(name: string): string {
  return [...name].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

const item = fc.oneof(
  fc.record({
    id: fc.string(),
    displayName: fc.string({ unit: 'binary' }),
    agent: fc.jsonValue({ maxDepth: 3 }),
  }),
  fc.jsonValue({ maxDepth: 3 }),
);
const items = fc
  .array(
    fc.oneof(
      item.map((one) => JSON.stringify(one)),
      fc.constant('{"id":"a","x":{"y":1,"y":2},"id":"b"}'),
    ),
    { maxLength: 8 },
  )
  .map((texts) => `[${texts.join(', ')}]`);
const list = fc
  .array(
    fc.tuple(
      fc.constantFrom('items', 'items', 'nextPageLink', 'count', 'x', '__proto__', 'constructor'),
      fc.oneof(
        items,
        fc.constantFrom('1e400', '9007199254740993', '12', 'null', '"?$skip=1"', '{}', '[[1],[2]]'),
      ),
    ),
    { maxLength: 5 },
  )
  .map(textOf);

describe('readList', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: list }, items, fc.json()), (text) => {
        const read = readText(text, 1_000_000);
        if (!read.ok) throw new Error(read.why);
        const value = JSON.parse(text) as Json;
        const whole = isJsonObject(value) ? value : {};
        const twice = read.doubled.map(({ name }) => name);
        if (isJsonObject(value)) {
          expect(Object.keys(read.value as object)).toEqual(Object.keys(whole));
          for (const name of ['nextPageLink', 'count'])
            expect(member(read.value, name)).toEqual(member(whole, name));
          expect(kindOf(member(read.value, 'items'))).toBe(kindOf(member(whole, 'items')));
        } else expect(kindOf(read.value)).toBe(kindOf(value));
        // Readers may choose either of two duplicate lists; neither is judged.
        const wanted = Array.isArray(value) ? value : whole['items'];
        if (!twice.includes('items'))
          expect(read.items.map(([item]) => item)).toEqual(Array.isArray(wanted) ? wanted : []);
      }),
      { numRuns: 5000 },
    );
  });

  it('finds duplicate names and the digits of count', () => {
    const twice = '{"id":"a","x":{"y":1,"y":2},"id":"b"}';
    expect(readText(`{"items":[1,${twice}],"c\\u006funt":2,"count":9007199254740993}`, 1000)).toMatchObject({
      items: [
        [1, []],
        [
          { id: 'b' },
          [
            { path: ['x'], name: 'y' },
            { path: [], name: 'id' },
          ],
        ],
      ],
      doubled: [{ path: [], name: 'count' }],
      exact: new Map([['count', { text: '9007199254740993', integer: true }]]),
    });
  });

  it('rejects invalid and too deeply nested JSON', () => {
    for (const text of [
      '{"items":[1,2}',
      '{"items":[1]} x',
      `{"items":[${'1,'.repeat(90)}]}`,
      '\uFEFF{"items":[]}',
    ]) {
      expect(readText(text, 3)).toMatchObject({ ok: false });
    }
    const deep = `{"items":[${'['.repeat(30)}${']'.repeat(30)}]}`;
    expect(readText(deep, 1000)).toMatchObject({ ok: false, limit: 'maxJsonDepth' });
  });

  it('does not read a list with too long a record or link, and names the limit', () => {
    const limit = 'more than 100 bytes (limits.maxRecordBytes)';
    const long = JSON.stringify('a'.repeat(200));
    for (const [text, what] of [
      [`{"items":[1,${long},2]}`, 'a record'],
      [`{"items":[],"nextPageLink":${long}}`, 'a nextPageLink'],
      [`[{"id":${long}}]`, 'a record'],
    ]) {
      expect(readText(text ?? '', 100)).toEqual({
        ok: false,
        limit: 'maxRecordBytes',
        why: `it holds ${what} of ${limit}`,
      });
    }
    expect(readText(`{"items":[1],"further":${long}}`, 100)).toMatchObject({ items: [[1, []]] });
  });

  it('reads millions of records, members and names', () => {
    expect(readText(`{"items":[${'1,'.repeat(2_000_000)}1]}`, 1_000_000)).toMatchObject({
      value: { items: [] },
    });
    const names = Array.from({ length: 400_000 }, (_none, index) => `"n${index}":${index}`).join(',');
    const read = readList(
      { body: Buffer.from(`{${names},"items":[{${names}}]}`) },
      NAMES,
      { maxJsonDepth: 5, maxRecordBytes: 10_000_000 },
      () => true,
    );
    if (!read.ok) throw new Error(read.why);
    expect(Object.keys(read.value as object).length).toBeLessThan(100);
    expect(read.value).toHaveProperty('items');
  });
});
