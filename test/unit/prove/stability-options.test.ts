import { expect, it } from 'vitest';
import { readStabilityOptions } from '../../../scripts/stability-options.ts';

it('npm run prove:stable compares ten seeds with one and four threads, or what its arguments say', () => {
  expect(readStabilityOptions([])).toEqual({ seeds: 10, jobs: [1, 4] });
  expect(readStabilityOptions(['3', '2'])).toEqual({ seeds: 3, jobs: [2] });
});

it.each([
  [['abc']],
  [['0']],
  [['-1']],
  [['1.5']],
  [['2', '1,x']],
  [['2', '0,4']],
  [['2', '']],
  [['1', '4']],
  [['2', '1', '4']],
])('npm run prove:stable rejects arguments with which it would compare nothing: %j', (words) => {
  expect(() => readStabilityOptions(words)).toThrow(RangeError);
});
