import type { Page } from '../provider/page.ts';
import { Snapshot } from '../provider/snapshot.ts';
import type { CheckContext } from './context.ts';
import { countProvenRecords } from './list-position.ts';
import { mainTraversal } from './list-traversals.ts';
import { MAX_PAGE_SIZE } from './page-sizes.ts';
import { requestedPageOf } from './requested-page.ts';
import { Violation } from './violation.ts';

/** Records of the longest list whose order is compared. */
const MAX_RECORDS = 20_000;
/** Boundaries that are tried at most; each takes two requests. */
const MAX_BOUNDARIES = 4;
/** Times that a boundary must give a record twice. */
const REPEATS = 3;

/** A page that ends where two pages begin to give the list in different orders. */
interface Boundary {
  /** Records before the page. */
  readonly skip: number;
  readonly size: number;
}

/**
 * Expects that pages give the list in one order. For a page that gives the records of its place in another order than the main
 * traversal, requests pages that end where the orders differ, and follows their links: if the two pages have different
 * orders, they both hold one of the records. Throws Violation if they do so each time, with the same count.
 */
export async function expectOneOrder(context: CheckContext): Promise<void> {
  const { snapshot } = context;
  const records = await countProvenRecords(snapshot);
  if (records === null || records > MAX_RECORDS) return;
  const { steps } = await mainTraversal(snapshot);
  const order = steps.flatMap(({ page }) => [...page.identities]);
  const starts = steps.map(({ given, page }) => given - page.itemCount);
  const pages = snapshot.pages().filter(({ count }) => count === records);
  const boundaries = new Map<string, Boundary>();
  for (const page of pages)
    for (const boundary of boundariesOf(page, order, starts))
      boundaries.set(`${boundary.skip} ${boundary.size}`, boundary);
  for (const boundary of [...boundaries.values()].slice(0, MAX_BOUNDARIES))
    await expectDifferentRecords(context, boundary, records);
}

/** Where a page leaves the order: pages that end there, from its own first record and from that of the main traversal's page. */
function boundariesOf(page: Page, order: readonly bigint[], starts: readonly number[]): readonly Boundary[] {
  const asked = requestedPageOf(page);
  if (asked === null || asked.size === null || page.identities.length !== page.itemCount) return [];
  const { skip } = asked;
  const place = page.identities.findIndex((identity, index) => identity !== order[skip + index]);
  const moved = page.identities[place];
  if (moved === undefined || !order.includes(moved, skip + place)) return [];
  const end = skip + place + 1;
  const usual = starts.findLast((start) => start < end) ?? 0;
  return [...new Set([usual, skip])]
    .map((start) => ({ skip: start, size: end - start }))
    .filter(({ size }) => size <= MAX_PAGE_SIZE);
}

/** Throws Violation if a page and the one behind its link hold the same record, each time. */
async function expectDifferentRecords(
  { list }: CheckContext,
  { skip, size }: Boundary,
  records: number,
): Promise<void> {
  const exchanges: number[] = [];
  let found: { readonly name: string; readonly target: string; readonly linked: string } | null = null;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const snapshot = new Snapshot(list);
    const target = snapshot.targetOf({ count: true, pageSize: size, ...(skip === 0 ? {} : { skip }) });
    const exchange = await snapshot.exchange(target);
    const page = await snapshot.at(target);
    const link = page.kind === 'page' && page.count === records ? snapshot.linkOf(page) : null;
    if (link === null) return;
    const behind = await snapshot.exchange(link.target);
    const linked = await snapshot.at(link.target);
    if (linked.kind !== 'page' || linked.count !== records) return;
    const given = new Set(list.records.identifiersIn(behind).map(({ key }) => key));
    const twice = list.records.identifiersIn(exchange).find(({ key }) => given.has(key));
    if (twice === undefined) return;
    exchanges.push(behind.number, exchange.number);
    found = { name: twice.name, target, linked: link.target };
  }
  if (found === null) return;
  throw new Violation({
    key: found.target,
    message: `GET ${found.target} and the page behind its link, ${found.linked}, both hold record ${found.name}: pages give the list in different orders; count is ${records} on both, ${REPEATS} times in a row`,
    expected: 'every identifier once',
    actual: `record ${found.name} on both pages`,
    counterexample: { request: found.target, identifier: found.name },
    exchanges,
  });
}
