import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../core/json-text.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import type { Json } from '../../core/results.ts';
import { changing, type Undecided } from '../../core/undecided.ts';
import { type Identifier, IdentitySet } from '../../provider/identity.ts';
import { wholeNumberIn } from '../../provider/link.ts';
import { othersIn, type Page } from '../../provider/page.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords, mainTraversal } from '../probes/list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { Violation, violationOn } from '../violation.ts';

/** Further traversals at most, one after another. */
const MAX_TRAVERSALS = 8;
/** Pages that each of these traversals requests at most. */
const MAX_PAGES_OF_TRAVERSAL = 40;
/** By how much the pages of every second one are smaller. */
const SMALL_PAGES = 4;

/** A record as a traversal gives it. */
interface GivenRecord extends Identifier {
  /** Number of the page, from 1. */
  readonly page: number;
  readonly exchange: number;
}

/** A traversal of the whole list, with the identifiers themselves instead of hashes. */
interface FullTraversal {
  readonly size: number;
  readonly given: readonly GivenRecord[];
  readonly reached: RecordsByKey;
}

/**
 * Traverses the list several times, to find out why a traversal gave a record twice and does not do so again. The order
 * is wrong, and the data did not change, if all of this holds:
 *
 * - count is the same on every page, and equals the number of all records that the traversals give together.
 * - One of them gives records twice, and leaves out others that traversals before and after it give.
 *
 * Added or removed records would make that number larger than count, or other pages of the run gave them (Undecided).
 * An edited record may have moved (Undecided). Null if the above does not show.
 *
 * @param pageSize the page size of the traversal that gave a record twice; null for the default
 */
export async function findUnstableOrder(
  context: CheckContext,
  pageSize: number | null,
): Promise<Violation | Undecided | null> {
  const count = await countOf(context, pageSize);
  if (count === null || count > MAX_PAGES_OF_TRAVERSAL * MAX_PAGE_SIZE) return null;
  const least = Math.ceil(count / MAX_PAGES_OF_TRAVERSAL);
  const largest = Math.max(pageSize ?? MAX_PAGE_SIZE, least);
  const readings: FullTraversal[] = [];
  /** All records, as the last reading that gave them shows them. */
  const union = new Map<string, Json>();
  let found: Violation | null = null;
  while (readings.length < MAX_TRAVERSALS) {
    // With other page sizes, so that servers that answer in turn do not give the same pages each time. Every second
    // traversal has small pages: more of them, so that it meets more faults between two pages.
    const large = largest - readings.length * Math.ceil(largest / (MAX_TRAVERSALS + 1));
    const size = Math.max(least, readings.length % 2 === 0 ? large : Math.ceil(large / SMALL_PAGES));
    const reading = await read(context, size, count);
    if (reading === null) return null;
    if (areEdited(union, reading.reached))
      return changing('records were edited while the list was traversed');
    readings.push(reading);
    for (const [key, record] of reading.reached) union.set(key, record);
    if (union.size > count) return null;
    // One more reading after the proof shows that the union grows no further.
    if (found !== null)
      return (await countSeenRecords(context, count)) > count
        ? changing('this run was given more records than count says')
        : found;
    found = union.size === count ? findDisplacement(readings, union) : null;
  }
  return null;
}

/** How many records the pages of the run with this count give together: one that is not in the list now was in it before. */
async function countSeenRecords({ list, snapshot }: CheckContext, count: number): Promise<number> {
  const { usual, others } = list.pages;
  const linked = (await mainTraversal(snapshot)).steps.map(({ page }) => page);
  const seen = new IdentitySet(count);
  for (const page of [...usual, ...others, ...linked]) if (page.count === count) seen.addAll(page.identities);
  return seen.size;
}

async function countOf({ list }: CheckContext, pageSize: number | null): Promise<number | null> {
  const snapshot = new Snapshot(list);
  const page = await snapshot.first({ count: true, pageSize: pageSize ?? undefined });
  if (page.kind !== 'page' || typeof page.count !== 'number') return null;
  return Number.isSafeInteger(page.count) && page.count > 1 ? page.count : null;
}

/** Null for a traversal whose pages do not have this count, the next offset in their link, and an identifier per record. */
async function read({ list }: CheckContext, size: number, count: number): Promise<FullTraversal | null> {
  const snapshot = new Snapshot(list);
  const given: GivenRecord[] = [];
  const reached = new Map<string, Json>();
  let target: string | null = snapshot.targetOf({ count: true, pageSize: size });
  let after: number | undefined;
  for (let number = 1; target !== null && number <= Math.ceil(count / size); number++) {
    // Each connection may lead to another server, with an order of its own.
    const exchange = await snapshot.exchange(target, {
      connection: number % 2 === 0 ? 'new' : 'kept',
      after,
    });
    const page = await snapshot.at(target);
    if (page.kind !== 'page' || page.count !== count) return null;
    const identifiers = list.records.identifiersIn(exchange);
    if (identifiers.length !== page.itemCount) return null;
    for (const [key, item] of list.records.itemsIn(exchange)) reached.set(key, item);
    for (const identifier of identifiers)
      given.push({ ...identifier, page: number, exchange: exchange.number });
    const link = snapshot.linkOf(page);
    if (link !== null && wholeNumberIn(link.parameters, '$skip') !== given.length) return null;
    target = link?.target ?? null;
    after = exchange.number;
  }
  return { size, given, reached };
}

/**
 * The breach of a reading of as many records as the list has, between two others that give all records which it leaves
 * out; null if there is none.
 */
function findDisplacement(readings: readonly FullTraversal[], union: RecordsByKey): Violation | null {
  const count = union.size;
  for (const [place, reading] of readings.entries()) {
    // A page too many or too few at the end is another fault.
    if (reading.given.length !== count) continue;
    const missing = [...union.keys()].filter((key) => !reading.reached.has(key));
    const before = readings.slice(0, place);
    const after = readings.slice(place + 1);
    const isGiven = (key: string): boolean =>
      before.some(({ reached }) => reached.has(key)) && after.some(({ reached }) => reached.has(key));
    if (!missing.every(isGiven)) continue;
    const missingIn = (others: readonly FullTraversal[]): GivenRecord | undefined =>
      others.flatMap(({ given }) => given).find(({ key }) => key === missing[0]);
    const [first, second] = findTwice(reading);
    const [earlier, later] = [missingIn(before), missingIn(after)];
    if (first === undefined || second === undefined || earlier === undefined || later === undefined) continue;
    const where =
      first.page === second.page
        ? `twice on page ${first.page}`
        : `on page ${first.page} and again on page ${second.page}`;
    const proof = [second, first, earlier, later].map(({ exchange }) => exchange);
    return new Violation({
      message:
        // With the reading after this one.
        `the traversal with $pagesize=${reading.size}, one of ${readings.length + 1} in a row, ` +
        `gives record ${second.name} ${where} and leaves out record ${earlier.name}, which traversals ` +
        `before and after it give; count is ${count} on every page and together they give ${count} ` +
        'records, so no record was added or removed: the order of the list changes between requests',
      expected: 'every identifier once',
      actual: `record ${second.name} ${where}, and no record ${earlier.name}`,
      counterexample: { pageSize: reading.size, pages: [first.page, second.page], identifier: second.name },
      exchanges: [...new Set(proof)],
      comparesTwo: true,
    });
  }
  return null;
}

/** The first record that a reading gives twice, as it gives it first and again; empty if there is none. */
function findTwice({ given }: FullTraversal): readonly GivenRecord[] {
  const firsts = new Map<string, GivenRecord>();
  for (const second of given) {
    const first = firsts.get(second.key);
    if (first !== undefined) return [first, second];
    firsts.set(second.key, second);
  }
  return [];
}

/** Requests that are repeated, those of the largest pages. */
const MAX_REPEATED = 3;
/** Repetitions of each request. */
const REPEATS = 8;
/** Changed answers that prove an unstable order. */
const LEAST_CHANGES = 3;
/** Records that an answer must have replaced at least: a change of the data may have moved fewer. */
const LEAST_REPLACED = 4;

/**
 * Expects that requests which the run repeated gave the same records each time, unless the data changed. Repeats those
 * that did not. If several records change again and again, all of them known from the main traversal, and count stays
 * the same, the order is unstable, so that traversals give some records twice and leave out others. Throws Violation.
 */
export async function expectStableOrder(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  const reordered = list.pages.reordered.filter(([page]) => mayBeLinked(page));
  if (reordered.length === 0 || (await countProvenRecords(snapshot)) === null) return;
  const { reached } = await mainTraversal(snapshot);
  const pairs = reordered.toSorted(([one], [other]) => other.itemCount - one.itemCount);
  for (const pair of pairs.slice(0, MAX_REPEATED)) await expectSameRecords(context, pair, reached);
}

/** Whether a page begins where one of a traversal may: others may be misread, without an order that is wrong. */
function mayBeLinked(page: Page): boolean {
  const { size, skip } = requestedPageOf(page) ?? { size: null, skip: 0 };
  return size !== null && skip % size === 0;
}

/** @param known the records of the list */
async function expectSameRecords(
  { list }: CheckContext,
  pair: readonly [before: Page, after: Page],
  known: IdentitySet,
): Promise<void> {
  const [first, second] = pair;
  const isComparable = ({ count, itemCount, identities }: Page): boolean =>
    count === known.size && itemCount === first.itemCount && known.countMissing(identities) === 0;
  if (!pair.every(isComparable)) return;
  const least = Math.max(LEAST_REPLACED, first.itemCount / 50);
  const pages: Page[] = [];
  let changes = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const page = await list.authorized(first.target, { connection: repeat % 2 === 1 ? 'new' : 'kept' });
    if (page.kind !== 'page' || !isComparable(page)) return;
    const before = pages.at(-1);
    const replaced = before === undefined ? 0 : othersIn(page, before);
    // Another page of the list, as from a link that works once: its order may be stable.
    if (replaced === page.itemCount) return;
    if (replaced >= least) changes++;
    pages.push(page);
  }
  if (changes < LEAST_CHANGES) return;
  throw violationOn(first, {
    message:
      `GET ${first.target}, repeated ${REPEATS} times, gives other records ${changes} times, ` +
      `with count ${known.size} and without a new record; ` +
      'pages of such an order give some records twice and leave out others',
    expected: 'the same records each time',
    actual: `other records ${changes} of ${REPEATS - 1} times`,
    further: [second, ...pages.slice(0, 2)],
  });
}

/** Records by the key of their identifier. */
type RecordsByKey = ReadonlyMap<string, Json>;

/**
 * Whether records changed between two readings of a list: a list that is sorted by the changed member then has another
 * order. A member that differs in most records does not count as data; it may be the time of the answer.
 */
export function areEdited(one: RecordsByKey, other: RecordsByKey): boolean {
  const changes = new Map<string, number>();
  let compared = 0;
  for (const [key, before] of one) {
    const after = other.get(key);
    if (after === undefined) continue;
    compared += 1;
    for (const name of changedMembers(before, after)) changes.set(name, (changes.get(name) ?? 0) + 1);
  }
  return [...changes.values()].some((count) => count <= compared / 2);
}

function changedMembers(before: Json, after: Json): readonly string[] {
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
