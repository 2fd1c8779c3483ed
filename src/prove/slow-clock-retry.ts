import type { Defect } from '../mock/index.ts';
import type { RunTrials, Trial, TrialResult } from './trial.ts';

/** How many times slower the provider's clock runs where a trial is repeated, and repeated again. */
const SLOWDOWN_FACTORS: readonly number[] = [3, 9];

/** Defects in one provider, and how it is judged. */
export interface DefectTrial {
  /** None for a conforming variant. */
  readonly members: readonly Defect[];
  readonly trial: Trial;
}

/**
 * Carries trials out, and those again, on a slower clock and with nothing else under way, in which a token's end was to
 * show something and came out otherwise: on a busy machine the moment before it is over before an answer comes, and a
 * token ends in the middle of what other checks ask. What is wrong in earnest is so on any clock.
 */
export async function runWithSlowClockRetry(
  trials: readonly DefectTrial[],
  carryOut: RunTrials,
): Promise<readonly (TrialResult | null)[]> {
  const results = [...(await carryOut(trials.map(({ trial }) => trial)))];
  for (const times of SLOWDOWN_FACTORS) {
    const late = [...trials.entries()].filter(([index, one]) => {
      const result = results[index] ?? null;
      return result !== null && isAffectedByTiming(one, result);
    });
    if (late.length === 0) break;
    const repeated = await carryOut(late.map(([, { trial }]) => slowDown(trial, times)));
    for (const [place, [index]] of late.entries()) results[index] = repeated[place] ?? results[index] ?? null;
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
        // Another member may hide it, on any clock; where there is none, a token ended in the middle of the run.
        !(members.length > 1 && cause?.kind === 'blocked'),
  );
}

function slowDown(trial: Trial, times: number): Trial {
  return { ...trial, mock: { ...trial.mock, clockRate: (trial.mock.clockRate ?? 1) / times } };
}
