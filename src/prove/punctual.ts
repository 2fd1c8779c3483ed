import type { Defect } from '../mock/index.ts';
import type { CarryOut } from './prove.ts';
import type { Trial, TrialResult } from './trial.ts';

/** How many times slower the provider's clock runs where a trial is repeated. */
const SLOWER = 3;

/** Defects in one provider, and how it is judged. */
export interface DefectTrial {
  /** None for a conforming variant. */
  readonly members: readonly Defect[];
  readonly trial: Trial;
}

/**
 * Carries trials out, and those once more, on a slower clock and with nothing else under way, in which a token's end
 * was to show something and passed unseen: on a busy machine the moment before it can be over before an answer comes.
 */
export async function carryOutPunctually(
  trials: readonly DefectTrial[],
  carryOut: CarryOut,
): Promise<readonly (TrialResult | null)[]> {
  const results = await carryOut(trials.map(({ trial }) => trial));
  const late = trials.flatMap((one, index) => {
    const result = results[index] ?? null;
    return result !== null && missedItsMoment(one, result) ? [{ index, trial: slower(one.trial) }] : [];
  });
  if (late.length === 0) return results;
  const repeated = await carryOut(late.map(({ trial }) => trial));
  const again = new Map(late.map(({ index }, place) => [index, repeated[place] ?? null]));
  return results.map((result, index) => again.get(index) ?? result);
}

function missedItsMoment({ members, trial }: DefectTrial, { verdicts }: TrialResult): boolean {
  const expected = members.filter(({ needs }) => needs.expiry === true).flatMap(({ must }) => must);
  return (
    trial.expiry &&
    verdicts.some(
      ({ requirement, verdict, sentence }) =>
        verdict === 'inconclusive' &&
        expected.includes(requirement) &&
        sentence?.startsWith('follows from ') !== true,
    )
  );
}

function slower(trial: Trial): Trial {
  return { ...trial, mock: { ...trial.mock, clockRate: (trial.mock.clockRate ?? 1) / SLOWER } };
}
