import { isRequirementId } from './requirement-id.ts';
import type { RequirementResult, Results, TargetResult } from './results.ts';
import type { Outcome } from './verdict.ts';

/**
 * What a run comes to for those who act on it: an exit status, a headline, a certificate.
 *
 * - `passed`: conformant; a certification only where every requirement passed
 * - `needs-data`: nothing failed, and all that is open needs more records than the list holds
 * - `failed`: a requirement failed, and no waiver covers it
 * - `inconclusive`: something else could not be decided, or nothing was tested
 * - `error`: the run could not be carried out
 */
export type Conclusion = 'passed' | 'needs-data' | 'failed' | 'inconclusive' | 'error';

/** The conclusion of a run, whose outcome may be another than the recorded one where a baseline accepts failures. */
export function conclusionOf(results: Results, outcome: Outcome = results.outcome): Conclusion {
  switch (outcome) {
    case 'non-conformant':
      return 'failed';
    case 'error':
      return 'error';
    case 'conformant':
      return results.run.suite === 'certify' && untested(results).length > 0 ? 'inconclusive' : 'passed';
    case 'inconclusive':
      return results.run.complete && results.targets.length > 0 && results.targets.every(lacksOnlyData)
        ? 'needs-data'
        : 'inconclusive';
  }
}

/** Verdicts that were not given for want of data. */
export function lackingData(results: Results): readonly RequirementResult[] {
  return results.targets.flatMap((target) => target.requirements.filter((one) => lacksData(one, target)));
}

/** Requirements of the specification, in a certification or elsewhere, that did not pass, with the target of each. */
export function untested(
  results: Results,
): readonly { readonly target: TargetResult; readonly result: RequirementResult }[] {
  return results.targets.flatMap((target) =>
    target.requirements
      .filter(({ id, verdict }) => isRequirementId(id) && verdict !== 'pass')
      .map((result) => ({ target, result })),
  );
}

/** How many requirements of the specification a run selected, of how many. */
export interface Selection {
  readonly selected: number;
  readonly all: number;
}

/** Counts each requirement once, however many targets and lists there are. */
export function selectionOf({ targets }: Results): Selection {
  const all = new Set<string>();
  const selected = new Set<string>();
  for (const { id, cause } of targets.flatMap(({ requirements }) => requirements)) {
    if (!isRequirementId(id)) continue;
    all.add(id);
    if (cause?.kind !== 'unselected') selected.add(id);
  }
  return { selected: selected.size, all: all.size };
}

/** Whether a run left requirements of the specification out by choice: it then says nothing about the whole. */
export function isPartial(results: Results): boolean {
  const { selected, all } = selectionOf(results);
  return selected < all;
}

/** `2 of 37 requirements selected`; null where the run covers all of them. */
export function selectionWords(results: Results): string | null {
  const { selected, all } = selectionOf(results);
  return selected < all ? `${selected} of ${all} requirements selected` : null;
}

function lacksOnlyData(target: TargetResult): boolean {
  const { requirements } = target;
  const decided = requirements.some(
    ({ verdict, waiver }) => verdict === 'pass' || (verdict === 'fail' && waiver?.active === true),
  );
  return (
    decided &&
    requirements.every((one) =>
      one.verdict === 'inconclusive' ? lacksData(one, target) : one.verdict !== 'error',
    )
  );
}

/** A list without records shows nothing: that is no small list, but an empty one, or the wrong one. */
function lacksData({ verdict, cause, resource }: RequirementResult, { records }: TargetResult): boolean {
  if (verdict !== 'inconclusive' || cause?.kind !== 'data') return false;
  if (resource !== null) return (cause.records ?? 0) > 0;
  return Object.values(records).some((count) => count !== null && count > 0);
}
