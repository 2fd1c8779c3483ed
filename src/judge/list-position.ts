import type { Page } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Traversal } from '../provider/traversal.ts';
import { mainTraversal } from './list-traversals.ts';
import { causeOfDoubtfulEnd } from './missing-link.ts';
import type { RequestedPage } from './requested-page.ts';
import { causeOfIncompleteness } from './traversal-completeness.ts';

/** How many records the list holds where the main traversal shows all of it, each once; null where it does not. */
export async function countProvenRecords(snapshot: Snapshot): Promise<number | null> {
  const main = await mainTraversal(snapshot);
  if (
    (await causeOfIncompleteness(snapshot, main)) !== null ||
    (await causeOfDoubtfulEnd(snapshot, main)) !== null
  )
    return null;
  return main.steps.at(-1)?.given === main.reached.size ? main.reached.size : null;
}

/** What a page is held against: the list as the main traversal gave it. */
export interface PositionInList {
  /** Records of the whole list. */
  readonly records: number;
  /** Records that follow behind the page. */
  readonly after: number;
}

/**
 * Where in the list a page stands; null where that is not known. A page from within the list counts only where it
 * gives the records that stand there: otherwise traversal/by-parameters is broken, and what else is wrong follows.
 */
export async function positionOf(
  { page, skip }: RequestedPage,
  snapshot: Snapshot,
): Promise<PositionInList | null> {
  const records = await countProvenRecords(snapshot);
  if (records === null) return null;
  if (skip > 0 && !matchesTraversal(await mainTraversal(snapshot), skip, page)) return null;
  return { records, after: records - skip - page.itemCount };
}

/** Whether a page gives records of a traversal in their order, from a position on. */
function matchesTraversal(traversal: Traversal, skip: number, { identities, itemCount }: Page): boolean {
  if (identities.length !== itemCount) return false;
  let before = 0;
  for (const { page } of traversal.steps) {
    if (before >= skip + itemCount) break;
    for (const [index, identity] of page.identities.entries()) {
      const place = before + index - skip;
      if (place >= 0 && place < itemCount && identities[place] !== identity) return false;
    }
    before += page.itemCount;
  }
  // An empty page shows nothing of where it stands, unless it is behind the last record.
  return itemCount === 0 ? skip >= before : skip + itemCount <= before;
}
