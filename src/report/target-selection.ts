import type { RequirementResult, Results, TargetResult } from '../core/results.ts';
import { OUTCOMES, VERDICTS } from '../core/verdict.ts';
import { isWaived } from './findings.ts';

/** Targets up to which a report shows each of them whole; of a run with more it is an overview. */
export const WHOLE_TARGETS = 24;
/** Targets of an overview that are shown with their details and their evidence, at most. */
export const DETAILED_TARGETS = 12;

/** Whether a run has so many targets that its report is an overview. */
export function isOverview({ targets }: { readonly targets: readonly unknown[] }): boolean {
  return targets.length > WHOLE_TARGETS;
}

/** Targets that a reader has to look at, worst first, and otherwise in the order of the run. */
export function targetsInNeed({ targets }: Results): readonly TargetResult[] {
  const rank = ({ outcome }: TargetResult): number => OUTCOMES.indexOf(outcome);
  return targets
    .filter(({ outcome }) => outcome !== 'conformant')
    .toSorted((one, other) => rank(one) - rank(other));
}

/** Targets with a failure that no waiver covers, in the order of the run. */
export function brokenTargets({ targets }: Results): readonly TargetResult[] {
  return targets.filter(({ outcome }) => outcome === 'non-conformant');
}

/**
 * The targets of which a report shows requests and answers: all of a few, and of many the first that are broken. What
 * could not be judged is told by its reasons, which targets mostly share.
 */
export function detailedTargets(results: Results): readonly TargetResult[] {
  return isOverview(results) ? brokenTargets(results).slice(0, DETAILED_TARGETS) : results.targets;
}

/**
 * The gravest verdict of a target that is no pass, open failures before waived ones, and among equals what lets in whom
 * it must not before what a client stumbles over; null where there is none.
 */
export function worstFinding({ requirements }: TargetResult): RequirementResult | null {
  const rank = (one: RequirementResult): number =>
    isWaived(one) ? VERDICTS.length : VERDICTS.indexOf(one.verdict);
  const [worst = null] = requirements
    .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
    .toSorted((one, other) => rank(one) - rank(other) || gravityOf(one) - gravityOf(other));
  return worst;
}

/** Requirements by what their breach costs, the gravest first; how many records a page holds comes after them all. */
const GRAVE: readonly RegExp[] = [
  /^authorization\//u,
  /^token\/(?:grant-type|secret|client|provider-isolation|refused-after-expiry)$/u,
  /^token\//u,
  /^(?!page-size\/)/u,
];

function gravityOf({ id }: RequirementResult): number {
  const place = GRAVE.findIndex((ids) => ids.test(id));
  return place < 0 ? GRAVE.length : place;
}
