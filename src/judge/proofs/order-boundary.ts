import type { Exchange } from '../../core/exchange.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Blocked } from '../../core/undecided.ts';
import { sameIdentities } from '../../provider/identity.ts';
import { wholeNumberIn } from '../../provider/link.ts';
import type { ListClient } from '../../provider/list-client.ts';
import type { ListAnswer, Page } from '../../provider/page.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import type { PageRange } from '../given-place.ts';
import { countProvenRecords, mainTraversal } from '../probes/list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { orderOf, recordsBefore } from '../traversals.ts';
import { Violation } from '../violation.ts';
import { isFresh } from './data-at-rest.ts';
import { findMisreadPlace } from './misplaced-pages.ts';

/** Records of the longest list whose order is compared. */
const MAX_RECORDS = 20_000;
/**
 * Boundaries that are tried at most; each takes two requests. A boundary is a position at which two pages begin to give the
 * list in different orders, or at which a page that is out of place begins. It is given as the range of the page before it.
 */
const MAX_BOUNDARIES = 6;
/** Times that a boundary must show the same fault. */
const REPEATS = 4;

/**
 * The fault at a boundary: the page and the one behind its link both give a record, or neither gives the records
 * between them.
 */
type Fault =
  | { readonly kind: 'twice'; readonly what: string; readonly identifier: string }
  | { readonly kind: 'lost'; readonly what: string; readonly records: readonly bigint[] };

/** A fault with its violation; `misread` if the page is not the one to which a link with its parameters leads. */
interface FoundFault {
  readonly kind: Fault['kind'] | 'misread';
  readonly violation: Violation;
}

/**
 * Expects no fault at a boundary, such as a record that a page and the one behind its link both hold because pages give the
 * list in different orders. Sends nothing in smoke. Throws Violation for a fault of that kind; Blocked if it cannot be seen
 * because parameters give other pages than links.
 */
export async function expectNoFaultAtBoundaries(
  context: CheckContext,
  kind: FoundFault['kind'],
): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const faults = await context.snapshot.memo.once(findFaults, context);
  const found = faults.find((one) => one.kind === kind);
  if (found !== undefined) throw found.violation;
  const misread = faults.find((one) => one.kind === 'misread')?.violation;
  if (misread !== undefined) throw new Blocked('traversal/by-parameters', misread.message);
}

/**
 * Expects that a page and the one behind its link leave out no records between them because one of them is out of place.
 * Without any count, nothing shows whether the data changed before such a page: then it only limits the check.
 */
export async function expectNoneLost(context: CheckContext): Promise<void> {
  await expectNoFaultAtBoundaries(context, 'lost');
  const pages = [...context.snapshot.pages(), ...context.list.pages.usual];
  if (pages.some(({ count }) => count !== undefined && count !== null)) return;
  const main = await mainTraversal(context.snapshot);
  if (main.reached.size > MAX_RECORDS) return;
  const order = orderOf(main);
  const misplaced = pages.find((page) => requestedRangeIfMisplaced(page, order) !== null);
  if (misplaced === undefined) return;
  const sentence = `GET ${misplaced.target} begins with another record than its offset says, and no page has a count`;
  context.limitedBy(new Blocked('count/present', sentence));
}

/**
 * Looks for pages that do not give the records at their position in the main traversal. Requests a page that ends
 * there, the page before it, or the page after which pages of its size are out of place, and follows its link.
 */
async function findFaults(context: CheckContext): Promise<readonly FoundFault[]> {
  const { list, snapshot } = context;
  const records = await countProvenRecords(snapshot);
  if (records === null || records > MAX_RECORDS) return [];
  const main = await mainTraversal(snapshot);
  const { steps } = main;
  const order = orderOf(main);
  const starts = steps.map(recordsBefore);
  const boundaries = new Map<string, PageRange>();
  const misplaced = new Map<number, PageRange>();
  for (const page of [...snapshot.pages(), ...list.pages.usual].filter(({ count }) => count === records)) {
    const place = requestedRangeIfMisplaced(page, order);
    if (place !== null) misplaced.set(place.size, place);
    for (const boundary of boundariesOf(page, order, starts))
      boundaries.set(`${boundary.skip} ${boundary.size}`, boundary);
  }
  const faults = [];
  for (const place of [...misplaced.values()].slice(0, MAX_BOUNDARIES)) {
    const boundary = await findBoundary(list, place, order);
    const fault = boundary === null ? null : await steadyFault(context, boundary, main);
    if (fault !== null) faults.push(fault);
  }
  for (const boundary of [...boundaries.values()].slice(0, MAX_BOUNDARIES)) {
    const fault = await steadyFault(context, boundary, main);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

/**
 * The range that a page was requested for, if it is not the first one and its first record is elsewhere in the order; null for
 * any other page.
 */
function requestedRangeIfMisplaced(page: Page, order: readonly bigint[]): PageRange | null {
  const requested = requestedPageOf(page);
  const [first] = page.identities;
  if (requested === null || requested.size === null || requested.skip < requested.size || first === undefined)
    return null;
  return first === order[requested.skip] ? null : { skip: requested.skip, size: requested.size };
}

/**
 * The last page that is shifted in the order as far as the first page of the list, before a page that is shifted
 * otherwise; found by halving. Null if the given page is shifted like the first one, or if a page has no place in the
 * order.
 */
async function findBoundary(
  list: ListClient,
  { skip, size }: PageRange,
  order: readonly bigint[],
): Promise<PageRange | null> {
  const shiftAt = async (number: number): Promise<number | null> => {
    const query = `$count=true&$pagesize=${size}&$skip=${number * size}`;
    const page = await list.authorized(`${list.path}?${query}`);
    const [first] = page.kind === 'page' && page.count === order.length ? page.identities : [];
    const position = first === undefined ? -1 : order.indexOf(first);
    return position < 0 ? null : position - number * size;
  };
  let [low, high] = [0, Math.floor(skip / size)];
  const start = await shiftAt(low);
  const end = await shiftAt(high);
  if (start === null || end === null || start === end) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const shift = await shiftAt(middle);
    if (shift === null) return null;
    if (shift === start) low = middle;
    else high = middle;
  }
  return { skip: low * size, size };
}

/**
 * The boundaries where a page leaves the order: pages that end at its first record out of place, and begin where this
 * page or the page of the main traversal begins; also the page before it.
 */
function boundariesOf(page: Page, order: readonly bigint[], starts: readonly number[]): readonly PageRange[] {
  const requested = requestedPageOf(page);
  if (requested === null || requested.size === null || page.identities.length !== page.itemCount) return [];
  const { skip, size } = requested;
  const place = page.identities.findIndex((identity, index) => identity !== order[skip + index]);
  const moved = page.identities[place];
  if (moved === undefined || !order.includes(moved)) return [];
  const end = skip + place + 1;
  const usual = starts.findLast((start) => start < end) ?? 0;
  // Only this page may be out of place.
  const before = { skip: Math.max(0, skip - size), size: Math.min(size, skip) };
  const ending = [...new Set([usual, skip])].map((start) => ({ skip: start, size: end - start }));
  return [...(place === 0 && skip > 0 ? [before] : []), ...ending].filter(
    (boundary) => boundary.size <= MAX_PAGE_SIZE,
  );
}

/** The breach of a boundary that shows the same fault each time, with the same count; otherwise null. */
async function steadyFault(
  { list }: CheckContext,
  { skip, size }: PageRange,
  main: Traversal,
): Promise<FoundFault | null> {
  const exchanges: Exchange[] = [];
  const order = orderOf(main);
  const known = new Set(order);
  // A record that replaced another one leaves count as it is.
  const isWhole = (page: ListAnswer): page is Page =>
    page.kind === 'page' &&
    page.count === order.length &&
    page.identities.every((identity) => known.has(identity));
  let last: { readonly fault: Fault; readonly page: Page; readonly linked: Page } | null = null;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const snapshot = new Snapshot(list);
    const target = snapshot.targetOf({ count: true, pageSize: size, skip: skip || undefined });
    // Every other time the linked page is requested first: one of two servers that answer in turn may have newer data.
    if (last !== null && repeat % 2 === 1) await snapshot.exchange(last.linked.target);
    const exchange = await snapshot.exchange(target);
    const page = await snapshot.at(target);
    const link = isWhole(page) && page.itemCount === size ? snapshot.linkOf(page) : null;
    // A wrong offset in the link would explain the page that it leads to: link/offset judges that.
    if (link === null || wholeNumberIn(link.parameters, '$skip') !== skip + size) return null;
    const behind = await snapshot.exchange(link.target, { after: exchange.number });
    const linked = await snapshot.at(link.target);
    if (!isWhole(page) || !isWhole(linked)) return null;
    const given = new Set(list.records.identifiersIn(behind).map(({ key }) => key));
    const twice = list.records.identifiersIn(exchange).find(({ key }) => given.has(key));
    const fault = twice === undefined ? lostBetween(page, linked, order) : recordTwice(twice.name);
    if (fault === null || (last !== null && last.fault.kind !== fault.kind)) return null;
    exchanges.push(behind, exchange);
    last = { fault, page, linked };
  }
  // A cache may keep the two pages from different times.
  if (last === null || !(await isFresh(list, [last.page, last.linked]))) return null;
  const { fault, page, linked } = last;
  // The page itself, and the one behind its link.
  for (const before of skip < size ? [skip] : [skip - size, skip]) {
    const misread = await findMisreadPlace(list, { skip: before, size });
    if (misread !== null) return { kind: 'misread', violation: misread };
  }
  const given = fault.kind === 'lost' ? await pagesGiving(list, fault.records, main) : [];
  if (given === null) return null;
  const violation = new Violation({
    message:
      `GET ${page.target} and the page behind its link, ${linked.target}, ${fault.what}; ` +
      `count is ${order.length} on both, ${REPEATS} times in a row`,
    expected: 'every record of the list once',
    actual: fault.what,
    counterexample: {
      request: page.target,
      ...(fault.kind === 'twice' ? { identifier: fault.identifier } : {}),
    },
    exchanges: [...exchanges, ...given],
  });
  return { kind: fault.kind, violation };
}

/**
 * Requests again the pages of a traversal that gave these records. Returns the pages; null if such a page gives others
 * now, or in another order: then records were added, removed or moved.
 */
async function pagesGiving(
  list: ListClient,
  records: readonly bigint[],
  { steps }: Traversal,
): Promise<readonly Page[] | null> {
  const snapshot = new Snapshot(list);
  const given: Page[] = [];
  for (const { page } of steps) {
    if (!records.some((record) => page.identities.includes(record))) continue;
    const now = await snapshot.at(page.target);
    if (now.kind !== 'page' || !sameIdentities(now.identities, page.identities)) return null;
    given.push(now);
  }
  return given;
}

function recordTwice(name: string): Fault {
  return {
    kind: 'twice',
    identifier: name,
    what: `both hold record ${name}: pages give the list in different orders or from other places`,
  };
}

/** Two pages that each give records in the order of the list, with other records between them; otherwise null. */
function lostBetween(one: Page, other: Page, order: readonly bigint[]): Fault | null {
  // A single record shows no order, and the order may depend on the page size.
  if (one.itemCount < 2 || other.itemCount < 2) return null;
  const [first, second] = [one, other].map(({ identities }) => {
    const start = order.indexOf(identities[0] ?? 0n);
    const isRun = identities.every((identity, index) => identity === order[start + index]);
    return isRun && start >= 0 ? start : null;
  });
  if (first == null || second == null) return null;
  const records = order.slice(first + one.itemCount, second);
  return records.length === 0
    ? null
    : {
        kind: 'lost',
        what: `leave out ${records.length} of the records that other pages give between them`,
        records,
      };
}
