import { describe, expect, it } from 'vitest';
import type { Cause } from '../../../src/core/cause.ts';
import { type Defect, findDefect } from '../../../src/mock/index.ts';
import { runWithSlowClockRetry } from '../../../src/prove/prove.ts';
import type { Trial, TrialResult } from '../../../src/prove/trial.ts';
import { defectTrial } from '../../../src/prove/trial-selection.ts';

const EARLY = findDefect('expires-at-half');
const LINK = findDefect('link-absolute');
const TOO_SLOW: Cause = { kind: 'limit', limit: 'expiry.clockRate' };

function trialsOf(...defects: readonly Defect[]): { members: readonly Defect[]; trial: Trial }[] {
  return defects.map((defect) => ({ members: [defect], trial: defectTrial([defect], 1) }));
}

function inconclusive(cause: Cause): TrialResult {
  const verdicts = [...EARLY.must, ...LINK.must].map((requirement) => ({
    requirement,
    resource: null,
    verdict: 'inconclusive' as const,
    cause,
    sentence: 'no violation found',
    pageSizes: [],
  }));
  return { verdicts, requests: 1, durationMs: 1, broken: null };
}

/** The trials of each round, for a suite that is inconclusive at first and then fails everything. */
async function rounds(
  cause: Cause,
  inconclusiveRounds = 1,
  asked = trialsOf(EARLY, LINK),
): Promise<{ readonly rates: unknown[][]; readonly verdicts: string[] }> {
  const rates: unknown[][] = [];
  const results = await runWithSlowClockRetry(asked, (trials, repeat) => {
    const resultAfter = (repetitions: number): TrialResult => {
      const first = inconclusive(cause);
      if (repetitions < inconclusiveRounds) return first;
      return {
        ...first,
        verdicts: first.verdicts.map((one) => ({
          ...one,
          verdict: EARLY.must.includes(one.requirement) ? 'fail' : 'pass',
        })),
      };
    };
    return Promise.resolve(
      trials.map((given, index) => {
        let trial: Trial | null | undefined = given;
        let result = resultAfter(0);
        for (let repetitions = 0; trial != null; repetitions++) {
          rates[repetitions] = [...(rates[repetitions] ?? []), trial.mock.clockRate];
          result = resultAfter(repetitions);
          trial = repeat?.(index, result, repetitions);
        }
        return result;
      }),
    );
  });
  return { rates, verdicts: results.map((result) => result?.verdicts[0]?.verdict ?? 'none') };
}

describe('a token whose expiry was missed', () => {
  it('is tested again on a slower clock, and nothing else is repeated', async () => {
    const { rates, verdicts } = await rounds(TOO_SLOW);
    const [rate] = rates[0] as [number];
    expect(rates).toEqual([[rate, undefined], [rate / 3]]);
    expect(verdicts).toEqual(['fail', 'inconclusive']);
  });

  it('is tested at most twice more', async () => {
    const { rates, verdicts } = await rounds(TOO_SLOW, 5);
    const [rate] = rates[0] as [number];
    expect(rates).toEqual([[rate, undefined], [rate / 3], [rate / 9]]);
    expect(verdicts).toEqual(['inconclusive', 'inconclusive']);
  });

  it('is not tested again if another defect hides it', async () => {
    const both = [{ members: [EARLY, LINK], trial: defectTrial([EARLY, LINK], 1) }];
    const follows: Cause = { kind: 'blocked', by: 'token/issued', resource: null };
    expect((await rounds(follows, 1, both)).rates).toHaveLength(1);
    expect((await rounds(TOO_SLOW, 1, both)).rates).toHaveLength(2);
    // Alone, it can only result from the expiry in the middle of the run.
    expect((await rounds(follows)).rates).toHaveLength(2);
  });
});
