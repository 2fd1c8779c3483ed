import { describe, expect, it } from 'vitest';
import { suite } from '../../../specs/suite.ts';

describe('the oracle of', () => {
  it.each(suite.map((check) => [check.requirement.id, check] as const))(
    '%s is stated, and cannot wait for a request',
    (_id, { oracle }) => {
      // An async function, or a generator, has another tag.
      expect(Object.prototype.toString.call(oracle)).toBe('[object Function]');
    },
  );
});
