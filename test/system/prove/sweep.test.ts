import { describe, expect, it } from 'vitest';
import type { SweepRow } from '../../../src/core/prove-results.ts';
import { likelySizes, sizeOrder } from '../../../src/judge/probes/page-sizes.ts';
import { groupSizeDefects, isFound, runSweep, SIZE_DEFECTS } from '../../../src/prove/sweep.ts';
import { runTrial, type Trial, type TrialResult } from '../../../src/prove/trial.ts';

const REQUIREMENTS = {
  limit: 'page-size/limit',
  filled: 'page-size/filled',
  offset: 'link/offset',
  count: 'count/stable',
} as const;

/** A fast suite that tests some sizes, or all in certify, and finds what `catches` returns. */
function pretended(catches: (size: number) => boolean): (trials: readonly Trial[]) => Promise<TrialResult[]> {
  const answer = ({ suite, runs, mock }: Trial): TrialResult => {
    const most = suite === 'certify' ? 500 : (runs ?? 10);
    const plants = (mock.defects ?? []).map((id) => {
      const [, kind, size] = /^sweep-([a-z]+)-at-(\d+)$/.exec(id) ?? [];
      return { kind: kind as keyof typeof REQUIREMENTS, size: Number(size) };
    });
    return {
      verdicts: Object.values(REQUIREMENTS).map((requirement) => {
        const found = plants.find(
          ({ kind, size }) => REQUIREMENTS[kind] === requirement && size <= most && catches(size),
        );
        return {
          requirement,
          resource: 'printers',
          verdict: found === undefined ? 'pass' : 'fail',
          cause: null,
          sentence: found === undefined ? 'no violation found' : 'it is wrong',
          pageSizes: found === undefined ? [] : [found.size],
        };
      }),
      requests: 2 * most,
      durationMs: 1,
      broken: null,
    };
  };
  return (trials) => Promise.resolve(trials.map(answer));
}

function figures(rows: readonly SweepRow[], kind: string): readonly unknown[] {
  return rows
    .filter((row) => row.kind === kind)
    .map(({ suite, runs, planted, found }) => [suite, runs, planted, found]);
}

describe('a sweep over page sizes', () => {
  it('counts the sizes at which each setting finds each kind', async () => {
    const runTrials = pretended((size) => size !== 7);
    const rows = await runSweep([50, 20, 20], { seed: 3 }, runTrials);
    expect(figures(rows, 'limit')).toEqual([
      ['full', null, 500, 9],
      ['full', 20, 500, 19],
      ['full', 50, 500, 49],
      ['certify', null, 13, 13],
    ]);
    // A page of one record cannot have one record too few.
    expect(figures(rows, 'filled').at(-1)).toEqual(['certify', null, 12, 12]);
    expect(rows.every(({ falselyFailed }) => falselyFailed.length === 0)).toBe(true);
    expect(rows[0]?.missed).toEqual([7, ...Array.from({ length: 490 }, (_none, index) => index + 11)]);
  });

  it('plants every kind at every size, without two of one kind or size in one provider', () => {
    expect(new Set(SIZE_DEFECTS.map(({ id }) => id)).size).toBe(1999);
    const beds = groupSizeDefects(SIZE_DEFECTS, 1);
    expect(beds.flat()).toHaveLength(1999);
    for (const bed of beds) {
      expect(new Set(bed.map(({ kind }) => kind)).size).toBe(bed.length);
      expect(new Set(bed.map(({ size }) => size)).size).toBe(bed.length);
    }
  });

  it('finds a defect only where the run requests its size', async () => {
    const requested = new Set<number>();
    const trial: Trial = {
      mock: { records: 520 },
      suite: 'full',
      only: Object.values(REQUIREMENTS),
      seed: 7,
      runs: null,
      expiry: false,
    };
    const onLine = ({ target }: { readonly target: string }): void => {
      const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
      requested.add(Number(query.get('$pagesize')));
    };
    await runTrial({ ...trial, mock: { ...trial.mock, control: { onLine } } }, null);
    const plant = (defects: readonly string[]): Promise<TrialResult> =>
      runTrial({ ...trial, mock: { ...trial.mock, defects } }, null);
    const limits = SIZE_DEFECTS.filter(({ kind }) => kind === 'limit');
    const tried = limits.filter(({ size }) => requested.has(size));
    expect(tried.length).toBeGreaterThan(15);
    for (const defect of tried.slice(0, 10))
      expect(isFound(defect, await plant([defect.id])), defect.id).toBe(true);
    const others = limits.filter(({ size }) => !requested.has(size));
    const { verdicts } = await plant(others.map(({ id }) => id));
    expect(verdicts.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });

  it('finds four defects together in certify, and with enough runs', async () => {
    const trial: Trial = {
      mock: {
        records: 700,
        defects: ['sweep-limit-at-233', 'sweep-filled-at-347', 'sweep-offset-at-461', 'sweep-count-at-87'],
      },
      suite: 'certify',
      only: Object.values(REQUIREMENTS),
      seed: 5,
      runs: null,
      expiry: false,
    };
    const failed = ({ verdicts }: TrialResult): readonly string[] =>
      verdicts.filter(({ verdict }) => verdict === 'fail').map(({ requirement }) => requirement);
    expect(failed(await runTrial(trial, null))).toEqual(trial.only);
    expect(failed(await runTrial({ ...trial, suite: 'full', runs: 500 }, null))).toEqual(trial.only);
  });

  it('draws every size once, likely ones more often among the first', () => {
    const order = sizeOrder(1234, (size) => Math.imul(size, 2654435761) >>> 1);
    expect(order.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 500 }, (_none, index) => index + 1),
    );
    const likely = likelySizes(1234);
    expect(likely).toEqual(
      expect.arrayContaining([1, 2, 499, 500, 63, 64, 65, 128, 256, 99, 100, 101, 411, 137]),
    );
    const likelyAmong = (sizes: readonly number[]): number =>
      sizes.filter((size) => likely.includes(size)).length / sizes.length;
    expect(likelyAmong(order.slice(0, 50))).toBeGreaterThan(2 * likelyAmong(order));
    expect(order.slice(0, 50).some((size) => !likely.includes(size))).toBe(true);
    expect(sizeOrder(1234, (size) => Math.imul(size, 2246822519) >>> 1)).not.toEqual(order);
  });
});
