import { isRequirementId } from './requirement-id.ts';
import type { RequirementResult, Suite } from './results.ts';
import { type Outcome, outcomeOf } from './verdict.ts';

/**
 * The outcome of a target from its results. A certification states that every requirement passed, so one that skipped any is
 * inconclusive at best.
 */
export function targetOutcome(requirements: readonly RequirementResult[], suite: Suite): Outcome {
  const outcome = outcomeOf(
    requirements.map(({ verdict, waiver }) => ({ verdict, waived: waiver?.active === true })),
  );
  const isIncomplete =
    suite === 'certify' &&
    requirements.some(({ id, verdict }) => verdict === 'skipped' && isRequirementId(id));
  return outcome === 'conformant' && isIncomplete ? 'inconclusive' : outcome;
}
