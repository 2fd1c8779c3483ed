import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Blocked } from '../../core/undecided.ts';
import { sameIdentities } from '../../provider/identity.ts';
import type { LinkLog } from '../../provider/link-log.ts';
import type { ListAnswer, Page } from '../../provider/page.ts';
import { hasOneCount } from '../../provider/page-log.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import { type GivenPlace, givenPlace, isLinked } from '../given-place.ts';
import { recordsAt, startsEmpty } from '../traversals.ts';
import type { Breach } from '../violation.ts';
import { type RequestedPage, requestedPageOf } from './requested-page.ts';
import { obstacleOf } from './traversal-completeness.ts';

/**
 * Traverses the whole list with `$count=true`: without `$pagesize`, or with `$pagesize=500` if only that traversal
 * shows the whole list and the links of the other one are broken, or it gives no records.
 */
export async function mainTraversal(snapshot: Snapshot): Promise<Traversal> {
  // Asked for each time, so that the evidence names everyone who used it.
  return snapshot.traversal(await snapshot.memo.once(mainPageSize, snapshot));
}

async function mainPageSize(snapshot: Snapshot): Promise<number | null> {
  const usual = await snapshot.traversal(null);
  if (usual.steps.length === 0) return null;
  const isEmpty = usual.steps.length === 1 && startsEmpty(usual);
  if (!isEmpty && !((await obstacleOf(snapshot, usual)) instanceof Blocked)) return null;
  const sized = await snapshot.traversal(MAX_PAGE_SIZE).catch(() => usual);
  return (isEmpty || sized.steps.length > 1) && (await obstacleOf(snapshot, sized)) === null
    ? MAX_PAGE_SIZE
    : null;
}

// How long the list is, from an estimate to a proof: estimateLength and claimedLength choose cases; countKnownRecords is a
// lower bound; knownLength is what a traversal shows and no count contradicts; countProvenRecords also asks what follows the
// last page, if that page does not show it.

/** How many records the list holds at least: those that the main traversal reached. */
export async function countKnownRecords(snapshot: Snapshot): Promise<number> {
  return recordsKnownFrom(await mainTraversal(snapshot));
}

/** How many records a traversal shows at least. */
function recordsKnownFrom({ isIdentified, reached, steps }: Traversal): number {
  return isIdentified ? reached.size : Math.max(0, ...steps.map((step) => step.page.itemCount));
}

/**
 * An estimate of the list's length, to choose cases: the records reached, or count if the links fail. If the first page is
 * refused, what other pages of the run show: otherwise a long list would be traversed record by record.
 */
export async function estimateLength(snapshot: Snapshot): Promise<number> {
  const traversal = await mainTraversal(snapshot);
  if (traversal.steps.length === 0) {
    const { counts, usual } = snapshot.client.pages;
    return Math.max(counts?.last ?? 0, ...usual.map(({ itemCount }) => itemCount));
  }
  const reached = traversal.isIdentified
    ? traversal.reached.size
    : (traversal.steps.at(-1)?.recordsSoFar ?? 0);
  if (traversal.end.kind === 'end') return reached;
  const count = traversal.steps[0]?.page.count;
  return Math.max(reached, typeof count === 'number' && Number.isSafeInteger(count) ? count : 0);
}

/** How many records the list seems to hold: those that a traversal reaches, or more if its count claims more. */
export async function claimedLength(snapshot: Snapshot): Promise<number> {
  return Math.max(await estimateLength(snapshot), snapshot.client.pages.counts?.last ?? 0);
}

/** What the main traversal shows of a list. */
export interface ListFacts {
  readonly main: Traversal;
  /** Records of the list if the main traversal gives all of them, each once; null if it does not. */
  readonly records: number | null;
  /** Records that the list holds at least. */
  readonly known: number;
  /** Records that it held whenever the run saw its length. */
  readonly held: number;
}

export async function listFacts(snapshot: Snapshot): Promise<ListFacts> {
  const main = await mainTraversal(snapshot);
  const { size } = main.reached;
  const isWhole = (await obstacleOf(snapshot, main)) === null && main.steps.at(-1)?.recordsSoFar === size;
  const known = recordsKnownFrom(main);
  const held = Math.min(known, snapshot.client.pages.counts?.least ?? 0);
  return { main, records: isWhole ? size : null, known, held };
}

/** How many records the list holds, if the main traversal gives all of them, each once; null if it does not. */
export async function countProvenRecords(snapshot: Snapshot): Promise<number | null> {
  return (await listFacts(snapshot)).records;
}

/**
 * The number of records in the list; null if the main traversal does not show it, or a count contradicts it.
 */
export async function knownLength(snapshot: Snapshot): Promise<number | null> {
  const traversal = await mainTraversal(snapshot);
  const length = lengthShownBy(traversal, snapshot);
  const isAgreed = traversal.steps.every(({ page: { count } }) => count === undefined || count === length);
  return isAgreed ? length : null;
}

/**
 * The number of records in the list as a traversal and the other pages of its snapshot show it. Null if it is unknown: the
 * traversal did not reach the end, records have no identifiers, or the last page does not show that nothing follows.
 */
export function lengthShownBy(traversal: Traversal, snapshot: Snapshot): number | null {
  const { end, isIdentified, reached, steps } = traversal;
  return end.kind === 'end' && isIdentified && steps.length > 0 && showsEnd(traversal, snapshot)
    ? reached.size
    : null;
}

/**
 * Whether the last page of a traversal shows that no records follow: by its count, or because it is not full. Without
 * count, a page that is not full shows this only if other pages keep to the size that was requested, and a full
 * one only if the page after it is empty.
 */
export function showsEnd({ steps }: Traversal, snapshot: Snapshot): boolean {
  const last = steps.at(-1);
  if (last === undefined) return false;
  const { count, itemCount } = last.page;
  const isFull = itemCount >= last.sizeInForce;
  if (typeof count === 'number') return !isFull || count <= last.recordsSoFar;
  const others = snapshot.pages().flatMap((page) => requestedPageOf(page) ?? []);
  return isFull
    ? others.some(({ page, skip }) => page.itemCount === 0 && skip === last.recordsSoFar)
    : others.every(({ page, size }) => size === null || page.itemCount <= size);
}

/**
 * What marks a breach that concerns the first so many records, if the list held them whenever the run saw its length: then no
 * change of the data explains the breach, unless the next count shows one.
 */
export function heldThroughout({ held }: ListFacts, records: number): Pick<Breach, 'heldRecords'> {
  return held >= records ? { heldRecords: records } : {};
}

/**
 * Records of the list after a page; null if its position is not known. A page with a $skip has a position only if it
 * gives the records at that position: otherwise traversal/by-parameters is broken, and other breaches follow
 * from that.
 */
export function recordsAfter({ page, skip }: RequestedPage, { main, records }: ListFacts): number | null {
  if (records === null) return null;
  // An empty page has a known position only after the last record.
  if (page.itemCount === 0 && skip > 0 && skip < records) return null;
  const isInPlace = skip === 0 || sameIdentities(page.identities, recordsAt(main, skip, page.itemCount));
  return isInPlace ? records - skip - page.itemCount : null;
}

/** Whether an answer gives the records at its place in the list; true if its request names no place. */
export async function isInPlace(answer: ListAnswer, snapshot: Snapshot): Promise<boolean> {
  const requested = requestedPageOf(answer);
  return requested === null || recordsAfter(requested, await listFacts(snapshot)) !== null;
}

/**
 * Blocked by traversal/by-parameters if other pages prove that a page answers another $skip than that of its request: then no
 * other rule can be judged on it. Null otherwise.
 */
export function misplacement(answer: ListAnswer, snapshot: Snapshot): Blocked | null {
  const requested = requestedPageOf(answer);
  const given = requested === null ? null : misplacedTo(requested, pagesOfRun(snapshot), snapshot);
  if (requested === null || given === null) return null;
  const last = given.skip + requested.page.itemCount;
  return new Blocked(
    'traversal/by-parameters',
    `GET ${answer.target} gives records ${given.skip + 1} to ${last}`,
  );
}

/** The place that a counted page answers, if its $skip is not the $skip of its request; null unless other pages prove it. */
export function misplacedTo(
  { page, isCounted, skip, size }: RequestedPage,
  others: Iterable<Page>,
  { client }: Snapshot,
): GivenPlace | null {
  // An outdated count explains that a page without a link seems to be at another place.
  const mayBeOutdated = !isLinked(page) && !hasOneCount(client.pages);
  if (isCounted !== true || size === null || mayBeOutdated) return null;
  const { links } = client.history;
  // Then link/offset fails, and the page may be the one that the link means.
  if (links.hasWrongOffset(page.target)) return null;
  return givenPlace(page, { skip, size }, rightlyLinked(others, links));
}

/** Pages without those to which a link with a wrong offset led: their $skip does not say which place they are to give. */
function* rightlyLinked(pages: Iterable<Page>, links: LinkLog): Generator<Page> {
  for (const page of pages) if (!links.hasWrongOffset(page.target)) yield page;
}

/** Pages of a snapshot, and those of the run so far; some several times. */
export function* pagesOfRun(snapshot: Snapshot): Generator<Page> {
  const { firstPages, usual } = snapshot.client.pages;
  yield* snapshot.pages();
  yield* firstPages;
  yield* usual;
}
