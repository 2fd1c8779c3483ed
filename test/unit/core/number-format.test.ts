import fastCheck from 'fast-check';
import { expect, test } from 'vitest';
import { withCommas } from '../../../src/core/number-format.ts';

test('a number has thousands separators', () => {
  for (const [value, text] of [
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [-1234567, '-1,234,567'],
    [1234.5, '1,234.5'],
  ] as const)
    expect(withCommas(value)).toBe(text);
  const same = fastCheck.property(fastCheck.maxSafeInteger(), (value) => {
    expect(withCommas(value)).toBe(value.toLocaleString('en-US'));
  });
  fastCheck.assert(same, { numRuns: 500, seed: 1 });
});
