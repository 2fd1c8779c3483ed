import { describe, expect, it } from 'vitest';
import { shareOf } from '../../../src/judge/context.ts';

const PROBES = Array.from({ length: 13 }, (_none, index) => index);

function shares(suite: 'smoke' | 'full' | 'certify', seed: number): readonly number[] {
  return shareOf({ options: { suite, seed, runs: null, expiry: false } }, PROBES, 2);
}

describe('the share of a long list of probes', () => {
  it('is all of it for certify, and nothing for smoke', () => {
    expect(shares('certify', 3)).toEqual(PROBES);
    expect(shares('smoke', 3)).toEqual([]);
  });

  it('is the same for the same seed, and a week of consecutive seeds covers all', () => {
    expect(shares('full', 9)).toEqual(shares('full', 9));
    for (const first of [0, 5, 0x7fff_fff0, -20]) {
      const week = Array.from({ length: 7 }, (_none, day) => shares('full', first + day));
      for (const share of week) expect(share).toHaveLength(2);
      expect(new Set(week.flat()).size).toBe(PROBES.length);
    }
  });
});
