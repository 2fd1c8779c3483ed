import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdentitySet, identitiesOf, identityOf } from '../../../src/provider/identity.ts';

describe('identities', () => {
  it('distinguishes a text from a similar number', () => {
    expect(identityOf('1')).not.toBe(identityOf(1));
    expect(identityOf(null)).not.toBe(identityOf('null'));
  });

  it('is never 0, which means none', () => {
    fc.assert(fc.property(fc.string(), (text) => identityOf(text) > 0n));
    expect([...identitiesOf(['a', undefined])]).toEqual([identityOf('a'), 0n]);
  });

  it('has all 64 bits', () => {
    let ones = 0n;
    let zeros = 0n;
    for (const identity of identitiesOf(Array.from({ length: 200 }, (_none, index) => `printer-${index}`))) {
      ones |= identity;
      zeros |= ~identity & (2n ** 64n - 1n);
    }
    expect([ones, zeros]).toEqual([2n ** 64n - 1n, 2n ** 64n - 1n]);
  });
});

describe('a set of identities', () => {
  it('has the size of a Set with the same values, for any expected size', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 1500 });
    fc.assert(
      fc.property(fc.array(numbers), fc.constantFrom(0, 1, 700, Number.NaN), (pages, expectedSize) => {
        const set = new IdentitySet(expectedSize);
        const model = new Set<number>();
        for (const page of pages) {
          const before = model.size;
          for (const number of page) model.add(number);
          expect(set.addAll(identitiesOf(page))).toBe(model.size - before);
        }
        expect(set.size).toBe(model.size);
        const all = [...model].map(identityOf).sort((one, other) => (one < other ? -1 : 1));
        expect([...set.beyond(new IdentitySet())]).toEqual(all);
        for (const number of [0, 1, 450, 900, ...model])
          expect(set.countMissing(identitiesOf([number]))).toBe(model.has(number) ? 0 : 1);
      }),
      { numRuns: 60 },
    );
  });

  it('returns the values that another set does not contain', () => {
    const [one, other] = [new IdentitySet(), new IdentitySet(5000)];
    one.addAll(identitiesOf([1, 2, 3]));
    other.addAll(identitiesOf([3, 2]));
    expect([...one.beyond(other)]).toEqual([identityOf(1)]);
    expect([...other.beyond(one)]).toEqual([]);
  });

  it('counts records without an identity as new, and does not keep them', () => {
    const set = new IdentitySet();
    expect(set.addAll(BigUint64Array.of(0n, 0n, 5n))).toBe(3);
    const missing = [0n, 5n].map((one) => set.countMissing(BigUint64Array.of(one)));
    expect([set.size, ...missing]).toEqual([1, 1, 0]);
  });

  it('has no collision among 300,000 consecutive identifiers', () => {
    const set = new IdentitySet();
    set.addAll(identitiesOf(Array.from({ length: 300_000 }, (_none, number) => `printer-${number}`)));
    expect(set.size).toBe(300_000);
  });
});
