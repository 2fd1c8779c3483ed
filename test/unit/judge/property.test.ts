import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Undecided } from '../../../src/core/undecided.ts';
import { runProperty, seededNumber } from '../../../src/judge/property.ts';
import { Violation } from '../../../src/judge/violation.ts';
import { type Snapshot, Snapshots } from '../../../src/provider/snapshot.ts';

/** Tests the numbers 1 to 9 with an oracle that receives the number of earlier calls. */
function judged(atRest: boolean, breaks: (calls: number, value: number) => boolean, quiet = true) {
  const calls: number[] = [];
  const snapshot = {
    client: { target: { limits: { concurrency: 1 } } },
    differsFrom: () => !quiet,
    pages: () => [],
    answers: () => [],
  } as unknown as Snapshot;
  const outcome = runProperty<number>({
    snapshots: new Snapshots(() => snapshot),
    property: {
      sample: 'numbers',
      atRest,
      examples: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      runs: 0,
      arbitrary: () => fc.integer({ min: 1, max: 9 }),
    },
    seed: 1,
    runs: 0,
    attempt: async (_snapshot, value) => {
      const before = calls.push(value) - 1;
      if (breaks(before, value))
        throw new Violation({
          key: 'k',
          message: `breaks at ${value}`,
          expected: 0,
          actual: 1,
          exchanges: [],
        });
    },
  });
  return { outcome, calls };
}

describe('a property with an intermittent breach', () => {
  it.each([2, 3, 5, 7])('fails if one in %i calls breaks it', async (every) => {
    const { outcome, calls } = judged(false, (before) => before % every === every - 1);
    await expect(outcome).rejects.toThrow(Violation);
    expect(calls.length).toBeLessThan(60);
  });

  it('is inconclusive if it breaks once, and never passes', async () => {
    const { outcome, calls } = judged(false, (before) => before === 4);
    await expect(outcome).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
    expect(calls.length).toBeLessThan(60);
  });

  it('is inconclusive if the data matters and the snapshot does not repeat the breach', async () => {
    await expect(judged(true, (before) => before === 4).outcome).rejects.toThrow(Undecided);
  });

  it('terminates if the data changes each time', async () => {
    const { outcome, calls } = judged(true, (before) => before % 12 === 3, false);
    await expect(outcome).rejects.toThrow(Undecided);
    expect(calls.length).toBeLessThan(600);
  });
});

describe('numbers drawn from a seed', () => {
  it('take every pair of small values for two labels', () => {
    const pairs = new Set<number>();
    for (let seed = 0; seed < 2000; seed++)
      pairs.add((seededNumber(seed, 'size') % 16) * 16 + (seededNumber(seed, 'place') % 16));
    expect(pairs.size).toBe(16 * 16);
  });

  it('have a lowest bit that does not repeat with the seed', () => {
    const bits = Array.from({ length: 64 }, (_none, seed) => seededNumber(seed, 'size') % 2);
    for (const period of [2, 4, 8, 16, 32])
      expect(bits.slice(period)).not.toEqual(bits.slice(0, bits.length - period));
  });
});
