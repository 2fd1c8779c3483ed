import { Blocked } from '../../core/undecided.ts';
import { countsMoreThanGiven, type ListAnswer, type Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step, Traversal } from '../../provider/traversal.ts';
import { fullestOf, traversalName } from '../traversals.ts';
import { findFirstFault } from './traversal-fault.ts';

/** Requests the page after a step by its parameters (4.3.3). */
export function requestFollowingPage(
  snapshot: Snapshot,
  { sizeInForce, recordsSoFar }: Pick<Step, 'sizeInForce' | 'recordsSoFar'>,
): Promise<ListAnswer> {
  return snapshot.first({ count: true, pageSize: sizeInForce, skip: recordsSoFar });
}

/**
 * Proof that a traversal ended without a link although records follow: the next page, requested by its
 * parameters, or, if that gives no new records, another traversal that reached more.
 *
 * @param traversals the other traversals; the main one if left out
 * @param known how many records the list is known to hold; those of the fullest traversal if left out
 */
export async function findMissingLink(
  snapshot: Snapshot,
  traversal: Traversal,
  {
    traversals = [],
    known = null,
  }: { readonly traversals?: readonly Traversal[]; readonly known?: number | null } = {},
): Promise<{ readonly sentence: string; readonly exchanges: readonly number[] } | null> {
  const last = traversal.steps.at(-1);
  if (
    traversal.end.kind !== 'end' ||
    last === undefined ||
    last.recordsSoFar === 0 ||
    findFirstFault(traversal) !== null
  )
    return null;
  const { count, itemCount } = last.page;
  const counted = typeof count === 'number' ? count > last.recordsSoFar : null;
  const fullest = fullestOf(traversals) ?? (await snapshot.traversal(null));
  // If another traversal reached more, this one did not give everything, whatever its count is.
  if (!(counted ?? itemCount >= last.sizeInForce) && (known ?? fullest.reached.size) <= last.recordsSoFar)
    return null;
  const answer = await requestFollowingPage(snapshot, last);
  const where = `page ${last.number} of ${traversalName(traversal)} gives no nextPageLink after ${last.recordsSoFar}`;
  const unseen = answer.kind === 'page' ? traversal.reached.countMissing(answer.identities) : 0;
  if (unseen > 0)
    return {
      sentence: `${where} records, but $skip=${last.recordsSoFar} gives ${unseen} more`,
      exchanges: [last.page.exchange, answer.exchange],
    };
  const holder = fullest.steps.find(({ page }) => traversal.reached.countMissing(page.identities) > 0);
  // A full page whose count is larger is not the last one.
  if (counted !== true || itemCount < last.sizeInForce || holder === undefined) return null;
  return {
    sentence:
      `${where} of ${count} records, and ${traversalName(fullest)} reaches ` +
      `${fullest.reached.beyond(traversal.reached).length} more`,
    exchanges: [last.page.exchange, holder.page.exchange],
  };
}

/**
 * Why it is unknown whether a traversal reached the end of the list: its last page is full and gives no link, its count
 * is larger than the records given, and no request shows further records. Null if it is known.
 */
export async function causeOfDoubtfulEnd(snapshot: Snapshot, traversal: Traversal): Promise<Blocked | null> {
  const last = traversal.steps.at(-1);
  if (traversal.end.kind !== 'end' || last === undefined) return null;
  const { count, itemCount } = last.page;
  if (typeof count !== 'number' || count <= last.recordsSoFar || itemCount < last.sizeInForce) return null;
  const next = await requestFollowingPage(snapshot, last);
  if (next.kind === 'page' && next.itemCount === 0) return null;
  return new Blocked(
    'link/present-when-more',
    `${traversalName(traversal)} ends after ${last.recordsSoFar} of ${count} records`,
  );
}

/**
 * The page after a full first page whose count is larger than the page. Null if there are no further records, Blocked
 * if the answer does not show whether there are.
 */
export async function findPageAfterFirst(
  snapshot: Snapshot,
  page: Page,
  size: number,
): Promise<Page | Blocked | null> {
  if (!countsMoreThanGiven(page) || page.itemCount < size) return null;
  const next = await requestFollowingPage(snapshot, { sizeInForce: size, recordsSoFar: page.itemCount });
  if (next.kind === 'page' && next.itemCount === 0) return null;
  const given = new Set(page.identities);
  if (
    next.kind === 'page' &&
    next.identities.length > 0 &&
    next.identities.every((identity) => !given.has(identity))
  )
    return next;
  return new Blocked(
    'traversal/by-parameters',
    `${page.target} counts ${page.count} records, gives ${page.itemCount} and no nextPageLink, and no request shows what follows`,
  );
}
