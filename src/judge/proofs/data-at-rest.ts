import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { type Identities, IdentitySet } from '../../provider/identity.ts';
import type { ListClient } from '../../provider/list-client.ts';
import { type ListAnswer, othersIn, type Page, sameAnswer, sameCount } from '../../provider/page.ts';
import { hasOneCount } from '../../provider/page-log.ts';
import { connectionFor, type Snapshot } from '../../provider/snapshot.ts';
import { mainTraversal } from '../probes/list-facts.ts';
import { orderOf } from '../traversals.ts';
import type { Breach, Violation } from '../violation.ts';

/** Answers in a row to one request that must differ in order to prove that a provider shuffles its records. */
const REPEATS = 4;

/**
 * Whether the data was at rest during the last snapshots (two or more), although their answers differ. It was if count
 * is the same in all of them and equals the number of all records seen, and if the order changes with every answer:
 * changed data does not explain that.
 */
export async function isProvenAtRest(snapshots: readonly Snapshot[]): Promise<boolean> {
  const counts = new Set<unknown>();
  const union = new IdentitySet();
  let taken = 0;
  // Shuffled pages miss records by chance, so more snapshots show more records.
  for (const snapshot of snapshots.toReversed()) {
    for (const page of snapshot.pages()) {
      if (page.count !== undefined) counts.add(page.count);
      union.addAll(page.identities);
    }
    if (counts.size > 1) return false;
    if (++taken > 1 && counts.has(union.size)) return shuffles(snapshots);
  }
  return false;
}

/** Records of a page that come before the first difference of two traversals: some equal ones may have kept their place. */
const BEFORE_DIFFERENCE = 20;

/** Whether the first page has another order in every answer, or a page around the place where the last traversals differ. */
async function shuffles(snapshots: readonly Snapshot[]): Promise<boolean> {
  const last = snapshots.at(-1);
  if (last === undefined) return false;
  if (await shufflesAt(last, last.targetOf({ count: true }))) return true;
  const traversals = await Promise.all(snapshots.slice(-2).map((snapshot) => snapshot.startedTraversal()));
  const [before, now] = traversals.map((traversal) => (traversal === null ? [] : orderOf(traversal)));
  const place = now?.findIndex((identity, index) => identity !== before?.[index]) ?? -1;
  if (place < 0) return false;
  const skip = Math.max(0, place - BEFORE_DIFFERENCE);
  return shufflesAt(last, last.targetOf({ count: true, pageSize: MAX_PAGE_SIZE, skip }));
}

async function shufflesAt(snapshot: Snapshot, target: string): Promise<boolean> {
  let before: Identities | null = null;
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    const answer = await snapshot.client.authorized(target);
    if (answer.kind !== 'page') return false;
    if (before !== null && countMovedRecords(before, answer.identities) < Math.max(4, answer.itemCount / 50))
      return false;
    before = answer.identities;
  }
  return true;
}

/** The least number of records that must move to bring both answers into the same order; only records in both count. */
function countMovedRecords(one: Identities, other: Identities): number {
  const places = new Map<bigint, number>();
  for (const [index, identity] of one.entries()) places.set(identity, index);
  // Longest increasing subsequence by patience sorting: the records in it need not be moved.
  const tails: number[] = [];
  let shared = 0;
  for (const identity of other) {
    const place = places.get(identity);
    if (place === undefined) continue;
    shared++;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((tails[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    tails[low] = place;
  }
  return shared - tails.length;
}

/** Number of linked pages that must not have changed, from the one with the first record of a sequence or of a page. */
const PAGES_AT_REST = 5;

/**
 * Whether pages of the main traversal hold the same records now. Requests them by parameters, from the first to the last
 * and back. A provider may give another page to a request that is out of order: if a page differs and the list has few of
 * them, requests all of them in order instead.
 *
 * @param places numbers of records before the first one that a sequence gives, and before the page that shows a
 * breach
 * @param times how often to request them forwards and back
 */
export async function isAtRest(snapshot: Snapshot, places: readonly number[], times = 1): Promise<boolean> {
  const { client } = snapshot;
  const { steps } = await mainTraversal(snapshot);
  const around = places.flatMap((place) =>
    steps.filter(({ recordsSoFar }) => recordsSoFar > place).slice(0, PAGES_AT_REST),
  );
  const chosen = [...new Set([...steps.slice(0, 1), ...around, ...steps.slice(-1)])];
  // The first page once more: otherwise each third request might be for the same page.
  const forwardsAndBack = [...chosen, ...chosen.toReversed(), ...chosen.slice(0, 1)];
  const requested = Array.from({ length: times }, () => forwardsAndBack).flat();
  for (const { page, recordsSoFar, sizeInForce } of [...requested, ...chosen]) {
    // By parameters and with $pagesize: links, or the default page size, may be the fault.
    const query = `$skip=${recordsSoFar - page.itemCount}&$pagesize=${sizeInForce}&$count=true`;
    if (sameAnswer(page, await client.authorized(`${client.path}?${query}`))) continue;
    return steps.length <= 2 * PAGES_AT_REST && isTraversedAlike(snapshot, times);
  }
  return isFresh(
    client,
    chosen.map(({ page }) => page),
    times,
  );
}

/**
 * Whether count never changed, and the first pages of the main traversal hold the same records when they are requested again in
 * order, so many times.
 */
export async function isTraversedAlike(snapshot: Snapshot, times: number): Promise<boolean> {
  if (!hasOneCount(snapshot.client.pages)) return false;
  const { steps } = await mainTraversal(snapshot);
  const first = steps.slice(0, 2 * PAGES_AT_REST).map(({ page }) => page);
  for (let time = 0; time < times; time++)
    // The first page once more, as above.
    for (const page of [...first, ...first.slice(0, 1)])
      if (!sameAnswer(page, await snapshot.client.authorized(page.target))) return false;
  return isFresh(snapshot.client, first, times);
}

/** Requests of a breach that are repeated at most. */
const MAX_PROOFS = 4;

/** Minimum number of repetitions: in fewer, data that changes at every read may look the same. */
const MIN_REPETITIONS = 12;

/**
 * Whether repeated requests give the same answers that prove the breaches, and a list of the same length. They are sent at
 * least four times, in alternating order, to detect a list that alternates in step with the snapshots.
 */
export async function isSteady(snapshot: Snapshot, breaches: readonly Breach[]): Promise<boolean> {
  const numbers = new Set(breaches.flatMap(({ exchanges }) => exchanges));
  const proofs = snapshot
    .answersOf(numbers)
    .slice(0, MAX_PROOFS)
    .map((answer) => ({ answer, isSame: sameAnswer }));
  if (proofs.length === 0) return true;
  const end = (await snapshot.startedTraversal())?.steps.at(-1)?.page;
  if (end !== undefined && !numbers.has(end.exchange)) proofs.push({ answer: end, isSame: sameLength });
  const back = proofs.toReversed();
  // The first one more often: otherwise each third request might be for the same page.
  const round = [...proofs, ...back, ...proofs.slice(0, 1), ...back, ...proofs];
  const rounds = Array.from({ length: Math.ceil(MIN_REPETITIONS / round.length) }, () => round);
  for (const { answer, isSame } of rounds.flat()) {
    if (!isSame(answer, await askAgain(snapshot, answer))) return false;
  }
  return isFresh(
    snapshot.client,
    proofs.map(({ answer }) => answer),
  );
}

/** Repeats a request as the snapshot sent it: a link may be bound to its token. */
export function askAgain({ client }: Snapshot, { target, exchange }: ListAnswer): Promise<ListAnswer> {
  return client.authorized(target, { after: exchange, connection: connectionFor(target) });
}

/** How often a refused request is repeated. */
const REFUSED_AGAIN = 4;

/** Whether requests that were refused, among those that prove the breaches, are refused again each time. */
export async function areRefusedAgain(snapshot: Snapshot, breaches: readonly Breach[]): Promise<boolean> {
  const proofs = snapshot.answersOf(breaches.flatMap(({ exchanges }) => exchanges));
  const refused = proofs.filter(({ kind }) => kind === 'refused');
  for (let time = 0; time < REFUSED_AGAIN; time++)
    for (const answer of refused) if (!sameAnswer(answer, await askAgain(snapshot, answer))) return false;
  return true;
}

/**
 * Whether pages are those of the list now, and not what caches keep from different times: requests with a further parameter that
 * no earlier one had give the same records and count. What is read in another way because of it shows nothing, nor does a
 * refusal, unless the first page is given with such a parameter: then caches keep a page that the list no longer has.
 *
 * @param attempt number of the attempt for the same answers, from 0
 */
export async function isFresh(
  client: ListClient,
  answers: readonly ListAnswer[],
  attempt = 0,
): Promise<boolean> {
  for (const answer of answers) {
    if (answer.kind !== 'page') continue;
    const now = await client.authorized(withFurther(answer, attempt));
    if (now.kind === 'refused' && (await isFirstGivenOtherwise(client, answer, attempt))) return false;
    if (now.kind !== 'page' || (now.count === undefined) !== (answer.count === undefined)) continue;
    if (sameCount(now.count, answer.count)) {
      if (othersIn(now, answer) === 0 && now.itemCount === answer.itemCount) continue;
      // A page of another size of a list of the same length: the request is read in another way.
      if (now.itemCount !== answer.itemCount && (await hasSameLength(client, now, answer))) continue;
    }
    return false;
  }
  return true;
}

/** Whether the first page is given with a further parameter, with another count than that of a page. */
async function isFirstGivenOtherwise(
  client: ListClient,
  { count, exchange }: Page,
  attempt: number,
): Promise<boolean> {
  const first = await client.authorized(
    withFurther({ target: `${client.path}?$count=true`, exchange }, attempt),
  );
  return first.kind === 'page' && count !== undefined && !sameCount(first.count, count);
}

/** Pages of the main traversal, from the first one on, that show with the last one whether the list is still the same. */
const MAX_MAIN_PAGES = 4;

/**
 * Whether the requests of a breach give the same pages again, and with a further parameter, which no cache knows, no other
 * records than those of the traversal, where count was the same in the whole run. With such a parameter, pages of the
 * traversal must give the same records in the same order: otherwise caches may hold pages from before a change.
 */
export async function holdsKnownRecords(snapshot: Snapshot, { breaches }: Violation): Promise<boolean> {
  const { client } = snapshot;
  const { counts } = client.pages;
  const main = await snapshot.startedTraversal();
  if (counts === null || !hasOneCount(client.pages) || main === null) return false;
  const proofs = snapshot.answersOf(breaches.flatMap(({ exchanges }) => exchanges));
  if (proofs.some(({ kind }) => kind !== 'page')) return false;
  for (const proof of proofs) {
    if (!sameAnswer(await client.authorized(proof.target), proof)) return false;
    const now = await client.authorized(withFurther(proof));
    if (now.kind !== 'page' || (now.count !== undefined && now.count !== counts.last)) return false;
    if (main.reached.countMissing(now.identities) > 0) return false;
  }
  for (const { page } of new Set([...main.steps.slice(0, MAX_MAIN_PAGES), ...main.steps.slice(-1)]))
    if (!sameAnswer(await client.authorized(withFurther(page)), page)) return false;
  return proofs.length > 0;
}

/** The least count of the run, the present one included, also where a cache keeps older pages; null if none is given now. */
export async function leastCountSoFar(snapshot: Snapshot): Promise<number | null> {
  const { client } = snapshot;
  const page = await client.authorized(snapshot.targetOf({ count: true, pageSize: 1 }));
  if (page.kind !== 'page' || typeof page.count !== 'number') return null;
  const fresh = await client.authorized(withFurther(page));
  const now = fresh.kind === 'page' && typeof fresh.count === 'number' ? fresh.count : page.count;
  return Math.min(page.count, now, client.pages.counts?.least ?? 0);
}

/** Whether the list has the length that was last seen. A page without a count does not show it: one that has it is requested. */
async function hasSameLength(client: ListClient, { count }: Page, { exchange }: Page): Promise<boolean> {
  if (count !== undefined) return true;
  const last = client.pages.counts?.last;
  const target = `${client.path}?$count=true&$pagesize=1`;
  const counted = await client.authorized(withFurther({ target, exchange }));
  return counted.kind === 'page' && last !== undefined && counted.count === last;
}

/** Whether the ends of two traversals show a list of the same length. */
function sameLength(one: ListAnswer, other: ListAnswer): boolean {
  if (one.kind !== 'page' || other.kind !== 'page') return sameAnswer(one, other);
  return one.itemCount === other.itemCount && sameCount(one.count, other.count);
}

/** The request of an answer with a further parameter, which no cache knows. */
export function withFurther(
  { target, exchange }: Pick<ListAnswer, 'target' | 'exchange'>,
  attempt = 0,
): string {
  return `${target}${target.includes('?') ? '&' : '?'}x=${exchange}${attempt === 0 ? '' : `.${attempt}`}`;
}
