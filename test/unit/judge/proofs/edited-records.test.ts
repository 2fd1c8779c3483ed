import { expect, test } from 'vitest';
import type { Json } from '../../../../src/core/results.ts';
import { areEdited } from '../../../../src/judge/proofs/unstable-order.ts';

function recordsOf(records: Readonly<Record<string, Json>>): ReadonlyMap<string, Json> {
  return new Map(Object.entries(records));
}

const BEFORE = recordsOf({
  a: { id: 'a', seen: 1, tags: ['x'] },
  b: { id: 'b', seen: 1, tags: [] },
  c: { id: 'c', seen: 1, tags: [] },
});

test('the same records are not edited, whatever their order', () => {
  expect(areEdited(BEFORE, new Map([...BEFORE].toReversed()))).toBe(false);
});

test('a member that differs in one record was edited', () => {
  expect(
    areEdited(BEFORE, recordsOf({ c: { id: 'c', seen: 1, tags: ['y'] }, a: BEFORE.get('a') ?? null })),
  ).toBe(true);
});

test('a member that differs in all records is not of the data', () => {
  const later = recordsOf({
    a: { id: 'a', seen: 2, tags: ['x'] },
    b: { id: 'b', seen: 2, tags: [] },
    c: { id: 'c', seen: 3, tags: [] },
  });
  expect(areEdited(BEFORE, later)).toBe(false);
});

test('records that are given once only are not compared', () => {
  expect(areEdited(BEFORE, recordsOf({ d: { id: 'd', seen: 9 } }))).toBe(false);
});
