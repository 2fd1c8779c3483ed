import type { Suite } from '../core/results.ts';
import type { ListAnswer } from '../provider/page.ts';
import type { FirstPage, Snapshot } from '../provider/snapshot.ts';
import type { CheckContext } from './context.ts';
import { countKnownRecords, estimateLength, traversalSizesOf } from './list-traversals.ts';
import {
  boundarySizes,
  commonSizes,
  MAX_PAGE_SIZE,
  partialTraversalSizes,
  quickSizes,
  sizeOrder,
} from './page-sizes.ts';
import { mapInParallel } from './parallel-map.ts';

/** A page size to request, and whether `$count=true` is added. */
export interface SizeCase {
  readonly pageSize: number;
  readonly count: boolean;
}

/** Page sizes that a full run draws, unless --runs gives another number. */
const DRAWN_SIZES = 24;

/** Fixed and drawn page sizes of a full run: if the length of the list has many divisors, fewer others are drawn. */
const MAX_SIZES = 38;

/** The page size that checks request if the list has enough records. */
const LARGEST_SMALL_SIZE = 7;

/** One in this number of drawn page sizes is requested without `$count` instead of with it. */
const UNCOUNTED_INTERVAL = 12;

/** The page sizes of a run. */
interface DrawnSizes {
  /** Sizes of first pages. */
  readonly first: readonly SizeCase[];
  /** Sizes of pages from within the list. */
  readonly within: readonly SizeCase[];
}

/** Page sizes whose first pages are judged: fixed ones that are likely to show defects, and drawn ones. */
export async function sizeCases(context: CheckContext, snapshot: Snapshot): Promise<readonly SizeCase[]> {
  return (await drawnSizes(context, snapshot)).first;
}

/** Queries for pages of drawn sizes from within the list: at a drawn offset, a multiple of the page size; in changing order. */
export async function pagesWithin(context: CheckContext, snapshot: Snapshot): Promise<readonly string[]> {
  const total = await estimateLength(snapshot);
  return (await drawnSizes(context, snapshot)).within.map(({ pageSize, count }, index) => {
    const behind = Math.ceil(total / pageSize) - 1;
    const skip = pageSize * (1 + (context.random(`page of ${pageSize}`) % behind));
    const query = [...(count ? ['$count=true'] : []), `$pagesize=${pageSize}`, `$skip=${skip}`];
    return (index % 2 === 0 ? query : query.toReversed()).join('&');
  });
}

async function drawnSizes(context: CheckContext, snapshot: Snapshot): Promise<DrawnSizes> {
  const total = await estimateLength(snapshot);
  const drawn = snapshot.memo.once(nothingDrawn);
  const { suite } = context.options;
  const sizes = drawn.get(suite) ?? drawSizes(context, total);
  drawn.set(suite, sizes);
  return sizes;
}

/** The sizes of a snapshot by suite: every check of a suite draws the same. */
function nothingDrawn(): Map<Suite, DrawnSizes> {
  return new Map();
}

/**
 * With --runs each size is requested with and without `$count`. In `certify`, each of the 500 is, one of the two from within the
 * list. In `full` most sizes are requested with `$count=true` only, because such a page shows more, and every other drawn one
 * from within the list.
 */
function drawSizes(context: CheckContext, total: number): DrawnSizes {
  const { suite, runs } = context.options;
  if (suite === 'smoke') return { first: both(quickSizes(total)), within: [] };
  const order = sizeOrder(total, (size) => context.random(`size ${size}`));
  if (suite === 'certify') {
    const paged = order.filter((size) => size < total);
    const first = paged.map((pageSize, index) => ({ pageSize, count: index % 2 === 0 }));
    const within = first.map(({ pageSize, count }) => ({ pageSize, count: !count }));
    return { first: [...first, ...both(order.filter((size) => size >= total))], within };
  }
  const ends = boundarySizes(total);
  const traversed = traversalSizesOf(context, total);
  const common = commonSizes(total);
  const partial = partialTraversalSizes(total, context.random('stroll'));
  const usual = new Set([...ends, ...traversed, ...partial, ...common]);
  const drawn = order
    .filter((size) => !usual.has(size))
    .slice(0, runs ?? Math.min(DRAWN_SIZES, Math.max(0, MAX_SIZES - usual.size)));
  if (runs !== null) return { first: both([...usual, ...drawn]), within: [] };
  // The neighbours of the ends are requested with it only.
  const twice = new Set(ends.filter((size) => size !== 2 && size !== MAX_PAGE_SIZE - 1));
  const once = [...usual].filter((size) => !twice.has(size)).map((pageSize) => ({ pageSize, count: true }));
  const cases = drawn.map((pageSize, index) => ({ pageSize, count: index % UNCOUNTED_INTERVAL > 0 }));
  const isWithin = ({ pageSize }: SizeCase, index: number): boolean => index % 2 === 1 && pageSize < total;
  return {
    first: [...both([...twice]), ...once, ...cases.filter((one, index) => !isWithin(one, index))],
    within: cases.filter(isWithin),
  };
}

function both(sizes: readonly number[]): readonly SizeCase[] {
  return sizes.flatMap((pageSize) => [
    { pageSize, count: true },
    { pageSize, count: false },
  ]);
}

/** A first page with what was asked for. */
export interface FirstPageAnswer {
  readonly first: FirstPage;
  readonly answer: ListAnswer;
  /** Page size in force: the requested one, or 500. */
  readonly size: number;
}

/** First pages: without parameters, with `$count` alone, and with every page size of sizeCases. */
export async function firstPages(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly FirstPageAnswer[]> {
  const firsts = await firstPageCases(context, snapshot);
  return mapInParallel(context.target.limits, firsts, (first: FirstPage) =>
    requestFirstPage(snapshot, first),
  );
}

/** The request targets of these first pages. */
export async function firstTargets(context: CheckContext, snapshot: Snapshot): Promise<readonly string[]> {
  return (await firstPageCases(context, snapshot)).map((first) => snapshot.targetOf(first));
}

export async function firstPageCases(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly FirstPage[]> {
  const sized = (await sizeCases(context, snapshot)).map(({ pageSize, count }): FirstPage => {
    if (count) return { count, pageSize };
    return isCountFalse(context, pageSize) ? { count: false, pageSize } : { pageSize };
  });
  const { suite } = context.options;
  return [{}, { count: true }, ...(suite === 'smoke' ? [] : [{ count: false }]), ...sized];
}

/**
 * Whether the first page of that size without a count is requested with `$count=false`, and not by leaving `$count` out:
 * for about half of the sizes that other checks do not request.
 */
function isCountFalse({ options, random }: CheckContext, pageSize: number): boolean {
  return options.suite !== 'smoke' && pageSize > LARGEST_SMALL_SIZE && random(`false ${pageSize}`) % 2 === 1;
}

export async function requestFirstPage(snapshot: Snapshot, first: FirstPage): Promise<FirstPageAnswer> {
  const size = typeof first.pageSize === 'number' ? first.pageSize : MAX_PAGE_SIZE;
  return { first, answer: await snapshot.first(first), size };
}

/** A small page size with which most lists have several pages; 0 for a list of at most one record. */
export async function smallPageSize(snapshot: Snapshot): Promise<number> {
  return Math.max(0, Math.min(LARGEST_SMALL_SIZE, (await countKnownRecords(snapshot)) - 1));
}

/**
 * Queries with `$count=true` for that page size that spell all or some names with %24: each name is encoded once as the first
 * and once as the second parameter. The seed decides which query has which order.
 */
export function encodedQueries({ options }: CheckContext, size: number): readonly string[] {
  const both = ['%24count=true', `%24pagesize=${size}`];
  const one = ['$count=true', `%24pagesize=${size}`];
  const other = ['%24count=true', `$pagesize=${size}`];
  const pairs =
    options.seed % 2 === 0 ? [both.toReversed(), one, other] : [both, one.toReversed(), other.toReversed()];
  return pairs.map((pair) => pair.join('&'));
}

/** The query of {@link uncountedFirstPage} without its `$count`, with names spelled with %24; null in `smoke`. */
export async function encodedUncountedQuery(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<string | null> {
  if (context.options.suite === 'smoke') return null;
  const { pageSize, skip } = await uncountedFirstPage(context, snapshot);
  return `%24pagesize=${pageSize}${skip === undefined ? '' : `&%24skip=${skip}`}`;
}

/** `$count=false` with a small page size; except in `smoke` also with a $skip, as a linked page has. */
export async function uncountedFirstPage(context: CheckContext, snapshot: Snapshot): Promise<FirstPage> {
  const size = Math.max(1, await smallPageSize(snapshot));
  const within = context.options.suite !== 'smoke' && (await countKnownRecords(snapshot)) > 2 * size;
  return { count: false, pageSize: size, ...(within ? { skip: size } : {}) };
}
