import type { RequirementResult, Results, TargetResult } from '../core/results.ts';
import { OUTCOMES, VERDICTS } from '../core/verdict.ts';
import { isWaived } from './findings.ts';

/** A run with more targets is shown as an overview. */
export const MAX_FULL_TARGETS = 24;
/** Most targets of an overview that are shown with details and evidence. */
export const DETAILED_TARGETS = 12;

/** Whether a run has so many targets that its report is an overview. */
export function isOverview({ targets }: { readonly targets: readonly unknown[] }): boolean {
  return targets.length > MAX_FULL_TARGETS;
}

/** Targets that are not conformant, worst first, then in the order of the run. */
export function targetsNeedingAttention({ targets }: Results): readonly TargetResult[] {
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
 * The targets whose requests and answers a report shows: all, or the first non-conformant ones in an
 * overview.
 */
export function detailedTargets(results: Results): readonly TargetResult[] {
  return isOverview(results) ? brokenTargets(results).slice(0, DETAILED_TARGETS) : results.targets;
}

/**
 * The worst verdict of a target: open failures before waived ones, then the most severe requirement (security first); null
 * if everything passed or was skipped.
 */
export function worstFinding({ requirements }: TargetResult): RequirementResult | null {
  const rank = (one: RequirementResult): number =>
    isWaived(one) ? VERDICTS.length : VERDICTS.indexOf(one.verdict);
  const [worst = null] = requirements
    .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
    .toSorted((one, other) => rank(one) - rank(other) || severityOf(one) - severityOf(other));
  return worst;
}

/** Requirements by severity, the most severe first; page sizes come last. */
const SEVERITY: readonly RegExp[] = [
  /^authorization\//u,
  /^token\/(?:grant-type|secret|client|provider-isolation|refused-after-expiry)$/u,
  /^token\//u,
  /^(?!page-size\/)/u,
];

function severityOf({ id }: RequirementResult): number {
  const place = SEVERITY.findIndex((ids) => ids.test(id));
  return place < 0 ? SEVERITY.length : place;
}
