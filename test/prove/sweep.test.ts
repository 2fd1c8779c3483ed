import { describe, expect, it } from 'vitest';
import { sizeOrder } from '../../src/judge/sizes.ts';
import { runSweep } from '../../src/prove/sweep.ts';
import { runTrial, type Trial, type TrialResult } from '../../src/prove/trial.ts';

/** What a suite that tries these sizes would say of the plants in a provider. */
function saidBy(tries: (trial: Trial, size: number) => boolean): (trial: Trial) => TrialResult {
  const requirements = {
    limit: 'page-size/limit',
    filled: 'page-size/filled',
    offset: 'link/offset',
    count: 'count/stable',
  };
  return (trial) => ({
    verdicts: (trial.mock.defects ?? []).map((id) => {
      const [, kind, size] = /^sweep-(limit|filled|offset|count)-at-(\d+)$/.exec(id) ?? [];
      const found = tries(trial, Number(size));
      return {
        requirement: requirements[kind as keyof typeof requirements],
        resource: 'printers',
        verdict: found ? ('fail' as const) : ('pass' as const),
        sentence: found ? `GET /v1/printers?$pagesize=${size} is wrong` : null,
      };
    }),
    requests: 10,
    durationMs: 1,
    broken: null,
  });
}

describe('a sweep over page sizes', () => {
  it('plants every kind at every size once, and counts what is found', async () => {
    const planted: string[] = [];
    const say = saidBy((trial, size) => trial.runs === null || size <= trial.runs);
    const rows = await runSweep([20, 50], { seed: 3 }, (trials) => {
      for (const trial of trials) if (trial.runs === null) planted.push(...(trial.mock.defects ?? []));
      return Promise.resolve(trials.map(say));
    });
    expect(new Set(planted).size).toBe(1999);
    expect(planted).toHaveLength(1999);
    expect(rows.map(({ kind, runs, planted: all, found }) => [kind, runs, all, found])).toEqual([
      ['limit', 20, 500, 20],
      ['filled', 20, 499, 19],
      ['offset', 20, 500, 20],
      ['count', 20, 500, 20],
      ['limit', 50, 500, 50],
      ['filled', 50, 499, 49],
      ['offset', 50, 500, 50],
      ['count', 50, 500, 50],
      ['limit', null, 500, 500],
      ['filled', null, 499, 499],
      ['offset', null, 500, 500],
      ['count', null, 500, 500],
    ]);
    expect(rows.every(({ falselyFailed }) => falselyFailed.length === 0)).toBe(true);
  });

  it('is true to the suite: four plants in one provider are each found by certify, and by enough runs', async () => {
    const trial: Trial = {
      mock: {
        records: 700,
        defects: ['sweep-limit-at-233', 'sweep-filled-at-347', 'sweep-offset-at-461', 'sweep-count-at-87'],
      },
      suite: 'certify',
      only: ['page-size/limit', 'page-size/filled', 'link/offset', 'count/stable'],
      seed: 5,
      runs: null,
      expiry: false,
    };
    const failed = ({ verdicts }: TrialResult): readonly string[] =>
      verdicts.filter(({ verdict }) => verdict === 'fail').map(({ requirement }) => requirement);
    expect(failed(await runTrial(trial, null))).toEqual(trial.only);
    expect(failed(await runTrial({ ...trial, suite: 'full', runs: 500 }, null))).toEqual(trial.only);
  });

  it('tries every size once, the likely ones first, and the same first ones whatever the number', () => {
    const order = sizeOrder(1234, (size) => (size * 7919) % 1009);
    expect(order.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 500 }, (_none, index) => index + 1),
    );
    const early = new Set(order.slice(0, 150));
    for (const size of [1, 2, 499, 500, 64, 128, 256, 100, 411, 137]) expect(early).toContain(size);
    expect(sizeOrder(1234, () => 0)).not.toEqual(order);
  });
});
