import { wholeNumberIn } from '../provider/link.ts';
import type { Step, Traversal } from '../provider/traversal.ts';

/** The name of a traversal in sentences. */
export function traversalName(traversal: Traversal): string {
  return traversal.pageSize === null
    ? 'the traversal without $pagesize'
    : `the traversal with $pagesize=${traversal.pageSize}`;
}

/** The $skip of a step's link if it is one whole number; null otherwise. */
export function skipOf(step: Step): number | null {
  return step.link === null ? null : wholeNumberIn(step.link.parameters, '$skip');
}

/** The last step with a record that no earlier step gave; the first step of an empty list. */
export function lastStepWithNewRecords(traversal: Traversal): Step | null {
  return traversal.steps.findLast((step) => step.fresh > 0) ?? traversal.steps[0] ?? null;
}

/** Whether two traversals reach the same records. */
export function reachSameRecords(one: Traversal, other: Traversal): boolean {
  if (one === other) return true;
  return one.reached.size === other.reached.size && one.reached.beyond(other.reached).length === 0;
}

/** Whether the page has records after it in the traversal. */
export function hasMoreAfter(traversal: Traversal, step: Step): boolean {
  return step.number < (lastStepWithNewRecords(traversal)?.number ?? 0);
}

/**
 * Another traversal that shows that a page is not the last one, although no page after it gives a record: the page has
 * a link, its traversal reached its end or requested no more pages, and the other one reaches further records. Otherwise
 * null.
 */
export function findFullerTraversal(
  traversal: Traversal,
  step: Step,
  traversals: readonly Traversal[],
): Traversal | null {
  const isComplete = traversal.end.kind === 'end' || traversal.end.kind === 'paused';
  if (step.link === null || !isComplete || !traversal.identified) return null;
  const fullest = fullestOf(traversals.filter(({ identified }) => identified));
  return fullest === null || fullest.reached.beyond(traversal.reached).length === 0 ? null : fullest;
}

/** The traversal that reaches the most records; null if there is none. */
export function fullestOf(traversals: readonly Traversal[]): Traversal | null {
  return traversals.reduce<Traversal | null>(
    (most, traversal) => (most === null || traversal.reached.size > most.reached.size ? traversal : most),
    null,
  );
}
