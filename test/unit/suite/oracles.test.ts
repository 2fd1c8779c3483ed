import { describe, expect, it } from 'vitest';
import { suite } from '../../../specs/suite.ts';

const oracles = suite.flatMap(({ requirement, oracle }) =>
  oracle === undefined ? [] : [[requirement.id, oracle] as const],
);

describe('the oracle of', () => {
  it.each(oracles)('%s cannot wait for a request', (_id, { decide }) => {
    // An async function, or a generator, has another tag.
    expect(Object.prototype.toString.call(decide)).toBe('[object Function]');
  });
});
