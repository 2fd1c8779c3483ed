import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundarySizes,
  commonSizes,
  dividingSizes,
  likelySizes,
  sizeLeavingOne,
  sizeOrder,
  traversalSizes,
} from '../../../../src/judge/probes/page-sizes.ts';
import { seededNumber } from '../../../../src/judge/property.ts';

const totals = fc.integer({ min: 0, max: 3000 });

describe('tested page sizes', () => {
  it('always include the ends of the range', () => {
    fc.assert(
      fc.property(totals, (total) => [1, 2, 499, 500].every((size) => boundarySizes(total).includes(size))),
    );
  });

  it('include the length of a short list and its neighbours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 499 }), (total) =>
        [total - 1, total, total + 1].every((size) => boundarySizes(total).includes(size)),
      ),
    );
  });

  it('include the divisors of the length, if there are at most 32', () => {
    for (let total = 2; total <= 1250; total++) {
      const tried = new Set([...boundarySizes(total), ...commonSizes(total)]);
      const divisors = Array.from({ length: Math.min(500, total) }, (_none, index) => index + 1);
      expect(divisors.filter((size) => total % size === 0 && !tried.has(size))).toEqual([]);
    }
  });

  it('are unique and between 1 and 500', () => {
    fc.assert(
      fc.property(totals, fc.nat(), (total, drawn) => {
        for (const sizes of [boundarySizes(total), commonSizes(total), traversalSizes(total, drawn)]) {
          expect(new Set(sizes).size).toBe(sizes.length);
          for (const size of sizes) expect(size >= 1 && size <= 500 && Number.isInteger(size)).toBe(true);
        }
      }),
    );
  });

  it('need few pages per traversal, and at least one has more than one page', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 3000 }), fc.nat(), (total, drawn) => {
        const sizes = traversalSizes(total, drawn);
        expect(sizes.some((size) => size < total)).toBe(true);
        for (const size of sizes) expect(Math.ceil(total / size)).toBeLessThanOrEqual(13);
      }),
    );
  });

  it('divide the list if they are divisors', () => {
    fc.assert(
      fc.property(totals, (total) =>
        dividingSizes(total).every((size) => total % size === 0 && size < total),
      ),
    );
    expect(dividingSizes(1234)).toEqual([2]);
    expect(traversalSizes(1234, 0)).toContain(411);
  });

  it('leave one record on the last page, also where no traversal does', () => {
    expect(sizeLeavingOne(1234, traversalSizes(1234, 0))).toBeNull();
    // 1202 is two times a prime, 1229 is a prime.
    expect(sizeLeavingOne(1203, traversalSizes(1203, 1))).toBe(2);
    expect(sizeLeavingOne(1230, traversalSizes(1230, 1))).toBe(1);
  });

  it('of traversals include one that clients choose', () => {
    expect(traversalSizes(1234, 0)).toContain(100);
    expect(traversalSizes(600, 0)).toContain(50);
  });

  it('of traversals include, for every second number, one that leaves the last page one record short', () => {
    expect(traversalSizes(1234, 0)).toContain(247);
    expect(traversalSizes(1234, 1)).not.toContain(247);
  });

  it('of traversals include a drawn one with which the list has three to nine pages', () => {
    const drawn = Array.from({ length: 1000 }, (_none, number) => traversalSizes(1234, number)).flat();
    const sizes = new Set(drawn.filter((size) => size !== 411 && size !== 100));
    expect(sizes.size).toBeGreaterThan(300);
    expect(Math.min(...sizes)).toBe(138);
    expect(Math.max(...sizes)).toBe(499);
  });

  it('are drawn eight times as often if they are likely, and others before all of these are used up', () => {
    const likely = new Set(likelySizes(1234));
    // The sizes of the bands take turns with the first 14.
    const first = Array.from({ length: 200 }, (_none, seed) =>
      sizeOrder(1234, (size) => seededNumber(seed, `size ${size}`)).slice(0, 24),
    );
    const share = first.flat().filter((size) => likely.has(size)).length / (200 * 24);
    // Half of them are of the bands, of which one in nine is likely; of the others one in two.
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.5);
  });
});
