import { describe, expect, it } from 'vitest';
import { defects } from '../../../src/mock/index.ts';
import { drawCombinations, explainMasking } from '../../../src/prove/combinations.ts';
import type { TrialResult } from '../../../src/prove/trial.ts';
import { proveHere } from '../../support/prove.ts';

describe('several defects in one provider', () => {
  it('are each found, or masked as declared', async () => {
    const results = await proveHere({ proof: { kind: 'combinations', number: 8 }, seed: 1 });
    expect(results.combinations).toHaveLength(8);
    expect(
      results.combinations
        .filter(({ fate }) => fate !== 'killed')
        .map(({ id, escaped, falselyFailed, errors }) => ({ id, escaped, falselyFailed, errors })),
    ).toEqual([]);
  });

  it('are drawn by the seed without repetitions', () => {
    const ids = (seed: number): readonly string[] =>
      drawCombinations(defects, 300, seed).map((members) => members.map(({ id }) => id).join(' '));
    expect(ids(7)).toEqual(ids(7));
    expect(ids(8)).not.toEqual(ids(7));
    expect(new Set(ids(7)).size).toBe(300);
  });

  it('excuse a masked defect only if the masking requirement of another defect failed', () => {
    const found = (id: string) => {
      const defect = defects.find((one) => one.id === id);
      if (defect === undefined) throw new Error(id);
      return defect;
    };
    const [offset, absolute] = [found('skip-one-too-many'), found('link-absolute')];
    const survivor = {
      requirement: 'link/offset',
      resource: 'printers',
      verdict: 'inconclusive',
      cause: { kind: 'blocked', by: 'link/relative', resource: 'printers' },
      sentence: 'blocked by link/relative: the link cannot be followed',
      pageSizes: [],
    } as const;
    const verdict = (cause: 'fail' | 'pass'): TrialResult => ({
      verdicts: [
        {
          requirement: 'link/relative',
          resource: 'printers',
          verdict: cause,
          cause: null,
          sentence: 'no violation found',
          pageSizes: [],
        },
        { ...survivor },
      ],
      requests: 1,
      durationMs: 1,
      broken: null,
    });
    const members = [offset, absolute];
    const asked = { member: offset, survivor, members, reversed: null };
    expect(explainMasking({ ...asked, result: verdict('fail') })).toContain(
      'link-absolute breaks link/relative',
    );
    expect(explainMasking({ ...asked, result: verdict('pass') })).toBeNull();
    expect(explainMasking({ ...asked, members: [offset], result: verdict('fail') })).toBeNull();
  });
});
