import { expect, it } from 'vitest';
import { Memo } from '../../../src/core/memo.ts';

it('creates a value once per function', () => {
  const memo = new Memo();
  let made = 0;
  const count = (by: number): number => {
    made += by;
    return made;
  };
  const nothing = (): undefined => {
    made += 1;
  };
  expect([memo.once(count, 2), memo.once(count, 3)]).toEqual([2, 2]);
  expect([memo.once(nothing), memo.once(nothing)]).toEqual([undefined, undefined]);
  expect(made).toBe(3);
});
