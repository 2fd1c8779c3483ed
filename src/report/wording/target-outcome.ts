import { selectionOf, untested } from '../../core/conclusion.ts';
import type { Results, Suite, TargetResult } from '../../core/results.ts';
import { OUTCOMES, type Outcome } from '../../core/verdict.ts';

/** The outcome of a target as a report shows it. */
export interface ShownOutcome {
  /** `passed in part (18 of 37)` or `not certified` instead of `conformant`, if not everything was tested. */
  readonly words: string;
  /** The outcome that determines the colour. */
  readonly style: Outcome;
}

/** The outcome of a target, for readers. */
export function shownOutcome(target: TargetResult, suite: Suite): ShownOutcome {
  const { outcome } = target;
  if (outcome !== 'conformant') return { words: outcome, style: outcome };
  const { selected, all } = selectionOf({ targets: [target] });
  if (selected < all) return { words: `passed in part (${selected} of ${all})`, style: outcome };
  const isOpen = suite === 'certify' && untested({ targets: [target] }).length > 0;
  return isOpen ? { words: 'not certified', style: 'inconclusive' } : { words: outcome, style: outcome };
}

/** The outcomes of these targets with their number, worst first. */
export function countOutcomes(
  targets: readonly TargetResult[],
  { run }: Pick<Results, 'run'>,
): readonly (ShownOutcome & { readonly count: number })[] {
  const counts = new Map<string, ShownOutcome & { readonly count: number }>();
  for (const target of targets) {
    const shown = shownOutcome(target, run.suite);
    counts.set(shown.words, { ...shown, count: (counts.get(shown.words)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted(
    (one, other) => OUTCOMES.indexOf(one.style) - OUTCOMES.indexOf(other.style),
  );
}
