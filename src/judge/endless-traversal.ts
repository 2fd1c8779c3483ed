import { Blocked } from '../core/undecided.ts';
import type { Page } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Traversal } from '../provider/traversal.ts';
import { skipOf, traversalName } from './traversals.ts';

/** A position past any list: links that go on from there do not end. */
const PAST_ANY_LIST = 1_000_000_000;
/** Where a provider refuses a position that far out: so many pages past what the traversal was given. */
const PAGES_FURTHER = 64;

/**
 * The page that shows of a runaway traversal that its links go on, and nothing comes: one asked by parameters, past any
 * list. A traversal says less than that: a wrong count, together with old records on a page or a page that is empty, looks
 * just like it, and there the links end. Null where the links show it themselves, since they do not advance.
 *
 * @throws Blocked with what a page that gives nothing new breaks, where links do not go on
 */
export async function expectEndlessLinks(snapshot: Snapshot, traversal: Traversal): Promise<Page | null> {
  const [before, last] = traversal.steps.slice(-2);
  if (before === undefined || last === undefined)
    throw new Error('a runaway traversal has two pages and more');
  const [from, to] = [skipOf(before), skipOf(last)];
  if (from !== null && to !== null && to <= from) return null;
  for (const skip of [PAST_ANY_LIST, last.given + PAGES_FURTHER * last.sizeInForce]) {
    // Whatever keeps it from being answered proves nothing, and is no error of this check.
    const far = await snapshot.first({ count: true, pageSize: last.sizeInForce, skip }).catch(() => null);
    if (far?.kind !== 'page') continue;
    const fresh = traversal.reached.lacking(far.identities);
    if (fresh === 0 && typeof far.link === 'string' && far.link !== '') return far;
    break;
  }
  const where = `page ${last.number} of ${traversalName(traversal)} gives nothing new and is linked on, yet the links may end`;
  throw new Blocked(last.page.itemCount > 0 ? 'traversal/no-duplicates' : 'link/absent-at-the-end', where);
}
