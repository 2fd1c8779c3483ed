import type { Step, Traversal } from '../../provider/traversal.ts';
import { findFullerTraversal, hasMoreAfter, lastStepWithNewRecords } from '../traversals.ts';
import { soundSteps } from './missteps.ts';

/** A linked page that is not the last one and holds fewer records than the page size in force. */
export interface UnfilledPage {
  readonly traversal: Traversal;
  readonly step: Step;
  /** Another traversal that reaches records which this one does not; null if this one gives records after the page. */
  readonly fuller: Traversal | null;
  /** A page with records that follow; null if there is none to name. */
  readonly proof: Step | null;
}

/** The first such page before any other fault of its traversal; null if there is none. */
export function findUnfilledPage(traversals: readonly Traversal[]): UnfilledPage | null {
  for (const traversal of traversals) {
    for (const step of soundSteps(traversal).slice(1)) {
      if (step.page.itemCount >= step.sizeInForce) continue;
      if (hasMoreAfter(traversal, step))
        return { traversal, step, fuller: null, proof: traversal.steps[step.number] ?? null };
      const fuller = findFullerTraversal(traversal, step, traversals);
      if (fuller !== null) return { traversal, step, fuller, proof: lastStepWithNewRecords(fuller) };
    }
  }
  return null;
}
