import { recordCount } from '../../core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { sameIdentities } from '../../provider/identity.ts';
import { offsetIn, parametersOf, wholeNumberIn } from '../../provider/link.ts';
import type { ListAnswer, Page } from '../../provider/page.ts';
import type { Connection } from '../../provider/sender.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { wholeTraversals } from '../probes/list-traversals.ts';
import { type Violation, violationOn } from '../violation.ts';
import { withFurther } from './data-at-rest.ts';

/** Requests for the last page at most. */
const MAX_REQUESTS = 200;
/** Wrong counts, each between right ones, that prove a breach, and the milliseconds between them. */
const WRONG_COUNTS = 2;
const BETWEEN_WRONG_COUNTS_MS = 1500;

/**
 * Requests the last page of the list again and again, to find out why count differed and does not differ again. Every answer
 * must hold the same last records from the same offset: this shows the length of the list, and that the data did not change.
 * Then count is wrong in two cases:
 *
 * - It is right, then wrong, then right again.
 * - It is never right, and moves away from the length after it had been nearer.
 *
 * Null if neither shows.
 */
export async function findFlickeringCount(context: CheckContext): Promise<Violation | null> {
  const whole = await wholeTraversals(context);
  const ends = whole.flatMap(({ steps }) => steps.at(-1)?.page ?? []);
  // The smallest one, to spare the provider.
  const [last] = ends
    .filter((page) => recordsUpTo(page) !== null)
    .toSorted((one, other) => one.itemCount - other.itemCount);
  const records = last === undefined ? null : recordsUpTo(last);
  if (last === undefined || records === null) return null;
  const targets = inEveryOrder(last.target);
  const ask = await requestsPastCaches(context, last);
  const wrong: Page[] = [];
  const drift: Page[] = [];
  let right: Page | null = null;
  let pending: Page | null = null;
  for (let requests = 0; requests < MAX_REQUESTS; requests++) {
    // The wrong count may depend on the connection, as on which server of several answers.
    const target = targets[requests % targets.length] ?? last.target;
    const page = await ask(target, connectionOfTurn(requests, targets.length));
    if (page.kind !== 'page' || page.link !== undefined || typeof page.count !== 'number') return null;
    // Records before the page that are added or removed move those on the page.
    if (!sameIdentities(page.identities, last.identities)) return null;
    if (page.count !== records) {
      pending ??= right === null ? null : page;
      if (right === null) drift.push(page);
      if (movesAway(drift, records)) return driftingCount(context, drift, records, () => ask(last.target));
      continue;
    }
    right = page;
    if (pending === null) continue;
    wrong.push(pending);
    pending = null;
    const [first] = wrong;
    if (wrong.length < WRONG_COUNTS || first === undefined) {
      // For a moment after a change, servers may count differently: the next wrong count must come later.
      await waitFor(BETWEEN_WRONG_COUNTS_MS, context);
      continue;
    }
    return violationOn(first, {
      message:
        `${repeatedWords(right, requests + 1, records)} but count is ${first.count} in one answer and ${records} in others before and after it, ` +
        `${WRONG_COUNTS} times in this way, so no record was added or removed`,
      expected: records,
      actual: first.count ?? null,
      counterexample: { request: right.target },
      further: [right],
    });
  }
  return null;
}

/**
 * Makes requests with a further parameter, another one each time, because caches may keep pages from moments at which count
 * lagged behind; as they are, if a page is not given with such a parameter.
 */
async function requestsPastCaches({ list }: CheckContext, page: Page) {
  const first = await list.authorized(withFurther(page));
  const isGiven = first.kind === 'page' && sameIdentities(first.identities, page.identities);
  let { exchange } = first;
  return async (target: string, connection: Connection = 'kept'): Promise<ListAnswer> => {
    const answer = await list.authorized(isGiven ? withFurther({ target, exchange }) : target, {
      connection,
    });
    ({ exchange } = answer);
    return answer;
  };
}

/** The connection of a request of that number, from 0, to targets in turn: each of them, also a single one, takes both kinds. */
export function connectionOfTurn(number: number, targets: number): Connection {
  const [place, turn] = [number % targets, Math.floor(number / targets)];
  return (place + turn) % 2 === 0 ? 'kept' : 'new';
}

/** How a last page was repeated, and what it gave each time, to begin a sentence. */
function repeatedWords({ target, itemCount }: Page, times: number, records: number): string {
  return (
    `GET ${target} was repeated ${times} times, also with its parameters in other orders, ` +
    `and gave the same ${recordCount(itemCount)}, the last of ${records}, each time,`
  );
}

/** Different wrong counts that show that count drifts. */
const DRIFTING_COUNTS = 3;
/** Requests that must show a drifting count again, and the milliseconds before each. */
const DRIFT_REPETITIONS = 2;
const DRIFT_PAUSE_MS = 1000;

/**
 * Whether count had several values and was farther from the records of the list after it had been nearer. One that only lags
 * behind the records comes nearer.
 */
function movesAway(drift: readonly Page[], records: number): boolean {
  const counts = [...new Set(drift.map(({ count }) => count))];
  const distances = counts.map((count) => distanceOf(count, records));
  return (
    counts.length >= DRIFTING_COUNTS &&
    distances.some((distance, index) => distances.slice(0, index).some((before) => before < distance))
  );
}

function distanceOf(count: Page['count'], records: number): number {
  return Math.abs(Number(count) - records);
}

/**
 * The breach of a count that drifts and does not come nearer within some seconds, with the same last records. Null if it
 * does.
 *
 * @param ask requests the last page
 */
async function driftingCount(
  context: CheckContext,
  drift: readonly Page[],
  records: number,
  ask: () => Promise<ListAnswer>,
): Promise<Violation | null> {
  const [first, ...others] = drift;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return null;
  for (let requests = 0; requests < DRIFT_REPETITIONS; requests++) {
    await waitFor(DRIFT_PAUSE_MS, context);
    const again = await ask();
    if (again.kind !== 'page' || !sameIdentities(again.identities, last.identities)) return null;
    if (typeof again.count !== 'number' || distanceOf(again.count, records) < distanceOf(last.count, records))
      return null;
  }
  return violationOn(last, {
    message:
      `${repeatedWords(last, drift.length + DRIFT_REPETITIONS, records)} but count is ${first.count} in the first answer and ${last.count} in a later one; these records show that none was ` +
      'added or removed, and count is the number of records',
    expected: records,
    actual: last.count ?? null,
    counterexample: { request: last.target },
    further: [first],
  });
}

/** The request with its parameters in other orders: a cache keyed by URL may keep the answers of several servers. */
function inEveryOrder(target: string): readonly string[] {
  const [path = '', query = ''] = target.split('?', 2);
  const parts = query.split('&');
  const rotations = parts.map((_part, index) => [...parts.slice(index), ...parts.slice(0, index)]);
  const orders = [...rotations, ...rotations.map((rotated) => rotated.toReversed())];
  return [...new Set(orders.map((order) => `${path}?${order.join('&')}`))];
}

/** Records of the list up to the end of its last page; null if the page may not be the last one. */
export function recordsUpTo({ target, itemCount, identities, link }: Page): number | null {
  const parameters = parametersOf(target);
  const size = wholeNumberIn(parameters, '$pagesize') ?? MAX_PAGE_SIZE;
  const skip = offsetIn(parameters);
  // A full page may have others after it.
  if (skip === null || link !== undefined || itemCount === 0 || itemCount >= size) return null;
  return identities.length === itemCount && !identities.includes(0n) ? skip + itemCount : null;
}
