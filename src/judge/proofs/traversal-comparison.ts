import type { Undecided } from '../../core/undecided.ts';
import type { Identities } from '../../provider/identity.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step, Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { wholeTraversals } from '../probes/list-traversals.ts';
import { causeOfDoubtfulEnd } from './missing-link.ts';
import { blockedByMisstep, firstMisstep } from './missteps.ts';
import { causeOfIncompleteness } from './traversal-completeness.ts';

/** Traversals that reached the end of the list, and why the first of the others did not. */
export async function completeTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<{ readonly complete: readonly Traversal[]; readonly obstacle: Undecided | null }> {
  const complete: Traversal[] = [];
  let obstacle: Undecided | null = null;
  const traversals = await wholeTraversals(context, snapshot);
  for (const traversal of traversals) {
    const misstep = firstMisstep(traversal);
    const cause =
      (await causeOfIncompleteness(snapshot, traversal, traversals)) ??
      (await causeOfDoubtfulEnd(snapshot, traversal)) ??
      // If pages hold too few records, links may skip the records that were left out.
      (misstep === null ? null : blockedByMisstep(misstep));
    if (cause === null) complete.push(traversal);
    else obstacle ??= cause;
  }
  return { complete, obstacle };
}

/** Records that only one of two traversals reaches. */
export interface TraversalDifference {
  readonly fullest: Traversal;
  readonly traversal: Traversal;
  /** Reached by the fullest traversal only. */
  readonly missing: Identities;
  /** Reached by the other traversal only. */
  readonly further: Identities;
  /** The last page of the other traversal, and a page of each with a record that the other one does not reach. */
  readonly exchanges: readonly number[];
}

/** Compares a traversal with the fullest one; null if both reach the same records. */
export function compareTraversals(fullest: Traversal, traversal: Traversal): TraversalDifference | null {
  const missing = fullest.reached.beyond(traversal.reached);
  const further = traversal.reached.beyond(fullest.reached);
  if (missing.length === 0 && further.length === 0) return null;
  // These pages are requested again: data that changes back and forth does not give both of them.
  const steps = [traversal.steps.at(-1), stepWith(fullest, missing[0]), stepWith(traversal, further[0])];
  const exchanges = [...new Set(steps)].flatMap((step) => (step === undefined ? [] : [step.page.exchange]));
  return { fullest, traversal, missing, further, exchanges };
}

function stepWith(traversal: Traversal, identity: bigint | undefined): Step | undefined {
  return traversal.steps.find(({ page }) => identity !== undefined && page.identities.includes(identity));
}
