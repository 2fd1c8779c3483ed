import type { Defect } from '../mock/index.ts';
import type { RunTrials, Trial, TrialResult } from './trial.ts';

/** Factors by which the provider's clock is slower in the first and second repetition. */
const SLOWDOWN_FACTORS: readonly number[] = [3, 9];

/** A trial with the defects of its provider. */
export interface DefectTrial {
  /** Empty for a conforming variant. */
  readonly members: readonly Defect[];
  readonly trial: Trial;
}

/**
 * Runs trials, and repeats those with unexpected results that depend on the expiry of a token, with a slower clock:
 * on a busy machine a token may expire before an answer arrives or during another check. Real problems occur with
 * any clock.
 */
export async function runWithSlowClockRetry(
  trials: readonly DefectTrial[],
  runTrials: RunTrials,
): Promise<readonly (TrialResult | null)[]> {
  const results = [...(await runTrials(trials.map(({ trial }) => trial)))];
  for (const times of SLOWDOWN_FACTORS) {
    const affected = [...trials.entries()].filter(([index, one]) => {
      const result = results[index] ?? null;
      return result !== null && isAffectedByTiming(one, result);
    });
    if (affected.length === 0) break;
    const repeated = await runTrials(affected.map(([, { trial }]) => slowDown(trial, times)));
    for (const [place, [index]] of affected.entries())
      results[index] = repeated[place] ?? results[index] ?? null;
  }
  return results;
}

function isAffectedByTiming({ members, trial }: DefectTrial, { verdicts }: TrialResult): boolean {
  if (!trial.expiry || members.length === 0) return false;
  const waited = members.filter(({ needs }) => needs.expiry === true).flatMap(({ must }) => must);
  const broken = members.flatMap(({ must, may }) => [...must, ...may]);
  return verdicts.some(({ requirement, verdict, cause }) =>
    verdict === 'fail'
      ? !broken.includes(requirement)
      : waited.includes(requirement) &&
        // With several members another one may mask it; otherwise a token expired during the run.
        !(members.length > 1 && cause?.kind === 'blocked'),
  );
}

function slowDown(trial: Trial, times: number): Trial {
  return { ...trial, mock: { ...trial.mock, clockRate: (trial.mock.clockRate ?? 1) / times } };
}
