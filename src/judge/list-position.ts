import { sameIdentities } from '../provider/identity.ts';
import type { Page } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Traversal } from '../provider/traversal.ts';
import { mainTraversal } from './probes/list-traversals.ts';
import type { RequestedPage } from './probes/requested-page.ts';
import { obstacleOf } from './proofs/traversal-completeness.ts';

/** How many records the list holds, if the main traversal gives all of them, each once; null if it does not. */
export async function countProvenRecords(snapshot: Snapshot): Promise<number | null> {
  const main = await mainTraversal(snapshot);
  if ((await obstacleOf(snapshot, main)) !== null) return null;
  return main.steps.at(-1)?.given === main.reached.size ? main.reached.size : null;
}

/** The position of a page in the list that the main traversal gives. */
export interface PositionInList {
  /** Records of the whole list. */
  readonly records: number;
  /** Records after the page. */
  readonly after: number;
}

/**
 * The position of a page in the list; null if it is not known. A page with a $skip has a position only if it
 * gives the records at that position: otherwise traversal/by-parameters is broken, and other breaches follow
 * from that.
 */
export async function positionOf(
  { page, skip }: RequestedPage,
  snapshot: Snapshot,
): Promise<PositionInList | null> {
  const records = await countProvenRecords(snapshot);
  if (records === null) return null;
  // An empty page has a known position only after the last record.
  if (page.itemCount === 0 && skip > 0 && skip < records) return null;
  if (skip > 0 && !matchesTraversal(await mainTraversal(snapshot), skip, page)) return null;
  return { records, after: records - skip - page.itemCount };
}

/** Whether a page gives records of a traversal in their order, from a position on. */
function matchesTraversal(traversal: Traversal, skip: number, { identities, itemCount }: Page): boolean {
  if (identities.length !== itemCount) return false;
  let before = 0;
  for (const { page } of traversal.steps) {
    if (before >= skip + itemCount) break;
    const from = Math.max(before, skip);
    const to = Math.min(before + page.identities.length, skip + itemCount);
    const given = page.identities.subarray(from - before, to - before);
    if (from < to && !sameIdentities(identities.subarray(from - skip, to - skip), given)) return false;
    before += page.itemCount;
  }
  return itemCount === 0 || skip + itemCount <= before;
}
