import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdentitySet, identityOf } from '../../src/provider/identity.ts';

describe('identities', () => {
  it('tells a text from a number that looks alike', () => {
    expect(identityOf('1')).not.toBe(identityOf(1));
    expect(identityOf(null)).not.toBe(identityOf('null'));
  });

  it('is a positive integer that a double holds', () => {
    fc.assert(
      fc.property(fc.string(), (text) => Number.isSafeInteger(identityOf(text)) && identityOf(text) > 0),
    );
  });

  it('keeps as many as were added, like a Set', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 })), (numbers) => {
        const set = new IdentitySet();
        const model = new Set<number>();
        for (const number of numbers) {
          expect(set.add(identityOf(number))).toBe(!model.has(number));
          model.add(number);
        }
        expect(set.size).toBe(model.size);
        expect([...set.values()].sort((one, other) => one - other)).toEqual(
          [...model].map(identityOf).sort((one, other) => one - other),
        );
        for (let number = 0; number <= 300; number++)
          expect(set.has(identityOf(number))).toBe(model.has(number));
      }),
    );
  });

  it('has no collision among 300,000 identifiers that count up', () => {
    const set = new IdentitySet();
    for (let number = 0; number < 300_000; number++) set.add(identityOf(`printer-${number}`));
    expect(set.size).toBe(300_000);
  });
});
