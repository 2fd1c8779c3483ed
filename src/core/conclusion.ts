import { isAboutRecords } from './cause.ts';
import { isRequirementId } from './requirement-id.ts';
import type { RequirementResult, Results, TargetResult } from './results.ts';
import { isWaived } from './verdict.ts';

/**
 * The conclusion of a run, for its exit status, headline and certificate.
 *
 * - `passed`: conformant; in a certification, every requirement passed
 * - `needs-data`: nothing failed, and all open requirements need other data: more records than the list has, or a token
 *   that is new
 * - `failed`: a requirement failed, and no waiver covers it
 * - `inconclusive`: something else could not be decided, or nothing was tested
 * - `error`: the run could not be carried out
 */
export type Conclusion = 'passed' | 'needs-data' | 'failed' | 'inconclusive' | 'error';

export function conclusionOf(results: Results): Conclusion {
  switch (results.outcome) {
    case 'non-conformant':
      return 'failed';
    case 'error':
      return 'error';
    case 'conformant':
      return results.run.suite === 'certify' && untested(results).length > 0 ? 'inconclusive' : 'passed';
    case 'inconclusive':
      return results.run.complete && lackingData(results).length > 0 && results.targets.every(lacksOnlyData)
        ? 'needs-data'
        : 'inconclusive';
  }
}

/**
 * The conclusion of a run without the failures that its baseline accepts. In a certification, a requirement that failed has not
 * passed.
 *
 * @param remaining the results without these failures
 */
export function conclusionWithout(results: Results, remaining: Results): Conclusion {
  const conclusion = conclusionOf(remaining);
  const isCertified = results.run.suite !== 'certify' || untested(results).length === 0;
  return conclusion === 'passed' && !isCertified ? 'inconclusive' : conclusion;
}

/** What a run tolerates: the options `--strict` and `--allow-inconclusive`. */
export interface Tolerance {
  /** A requirement that needs more records counts as inconclusive. Always so in a certification. */
  readonly strict: boolean;
  /** Inconclusive requirements do not count. */
  readonly allowInconclusive: boolean;
}

/** Whether a run with this conclusion succeeds. */
export function isTolerated(conclusion: Conclusion, { strict, allowInconclusive }: Tolerance): boolean {
  if (conclusion === 'needs-data') return !strict;
  return conclusion === 'passed' || (conclusion === 'inconclusive' && allowInconclusive);
}

/** The results, which say so if the run succeeds only because inconclusive requirements do not count. */
export function withAllowance(
  results: Results,
  conclusion: Conclusion,
  { allowInconclusive }: Tolerance,
): Results {
  return allowInconclusive && conclusion === 'inconclusive'
    ? { ...results, run: { ...results.run, allowInconclusive: true } }
    : results;
}

/** Results without a verdict because the provider lacks the data, mostly because the list has too few records. */
export function lackingData(results: Results): readonly RequirementResult[] {
  return results.targets.flatMap((target) => target.requirements.filter((one) => lacksData(one, target)));
}

/** Requirements of the specification that did not pass, with their targets. */
export function untested(
  results: Pick<Results, 'targets'>,
): readonly { readonly target: TargetResult; readonly result: RequirementResult }[] {
  return results.targets.flatMap((target) =>
    target.requirements
      .filter(({ id, verdict }) => isRequirementId(id) && verdict !== 'pass')
      .map((result) => ({ target, result })),
  );
}

/** Number of selected requirements of the specification, and of all: each counts once for all targets and lists. */
export function selectionOf({ targets }: Pick<Results, 'targets'>): {
  readonly selected: number;
  readonly all: number;
} {
  const all = new Set<string>();
  const selected = new Set<string>();
  for (const { id, cause } of targets.flatMap(({ requirements }) => requirements)) {
    if (!isRequirementId(id)) continue;
    all.add(id);
    if (cause?.kind !== 'unselected') selected.add(id);
  }
  return { selected: selected.size, all: all.size };
}

/** Whether a run selected only some requirements of the specification. */
export function isPartial(results: Results): boolean {
  return selectionWords(results) !== null;
}

/** `2 of N requirements selected`; null if the run covers all of them. */
export function selectionWords(results: Results): string | null {
  const { selected, all } = selectionOf(results);
  return selected < all ? `${selected} of ${all} requirements selected` : null;
}

function lacksOnlyData(target: TargetResult): boolean {
  const { requirements } = target;
  const decided = requirements.some((one) => one.verdict === 'pass' || isWaived(one));
  return (
    decided &&
    requirements.every((one) =>
      one.verdict === 'inconclusive' ? lacksData(one, target) : one.verdict !== 'error',
    )
  );
}

/** Whether a result without a verdict lacks records, and not other data such as a token that is new. */
export function needsRecords({ cause, resource }: RequirementResult): boolean {
  return cause?.kind === 'data' && (resource !== null || isAboutRecords(cause.needs));
}

/** Whether only data is missing. An empty list does not count: it may be the wrong list. */
function lacksData({ verdict, cause, resource }: RequirementResult, { records }: TargetResult): boolean {
  if (verdict !== 'inconclusive' || cause?.kind !== 'data') return false;
  if (resource !== null) return (cause.records ?? 0) > 0;
  return Object.values(records).some((count) => count !== null && count > 0);
}
