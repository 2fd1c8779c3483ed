import type { Suite } from '../core/results.ts';
import { Blocked, type Undecided } from '../core/undecided.ts';
import { readQuery } from '../provider/link.ts';
import type { ListAnswer, NoPage, Page } from '../provider/page.ts';
import type { FirstPage, Snapshot } from '../provider/snapshot.ts';
import type { Step, Traversal } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import {
  boundarySizes,
  commonSizes,
  drawnTraversalSizes,
  MAX_PAGE_SIZE,
  MOST_COMMON_SIZES,
  partialTraversalSizes,
  quickSizes,
  sizeOrder,
  traversalSizes,
} from './page-sizes.ts';
import { mapInParallel } from './parallel-map.ts';
import type { Position, RequestedPage } from './requested-page.ts';
import {
  blockedByMisstep,
  causeOfDoubtfulEnd,
  causeOfIncompleteness,
  firstMisstep,
  firstWrongQuery,
  type Misstep,
  soundSteps,
  stepsWithRightQuery,
} from './traversals.ts';

/**
 * The evidence that the checks of lists share. All of it comes from a snapshot, so it is asked for once however many
 * checks read it; what is drawn comes from the seed, so every check draws the same.
 */

/** As Promise.all, but never before all are settled: nothing is still being asked when a check has its verdict. */
export async function awaitAll<const FirstPageAnswer extends readonly unknown[]>(
  asked: FirstPageAnswer,
): Promise<{ -readonly [Place in keyof FirstPageAnswer]: Awaited<FirstPageAnswer[Place]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}

/** Whether an answer holds a list; throws Blocked with the requirement that its absence breaks. */
export async function expectFirstPage(snapshot: Snapshot, first: FirstPage): Promise<Page> {
  return expectPage(snapshot, await snapshot.first(first), first);
}

/** The same for an answer that is there already. */
export async function expectPage(snapshot: Snapshot, answer: ListAnswer, first: FirstPage): Promise<Page> {
  if (answer.kind === 'page') return answer;
  throw await absence(snapshot, answer, first);
}

async function absence(snapshot: Snapshot, answer: NoPage, first: FirstPage): Promise<Blocked> {
  if (answer.kind === 'no-envelope')
    return new Blocked('list/envelope', `the answer to ${answer.target} is no list: ${answer.why}`);
  const plain = await snapshot.first({});
  const sentence = `the answer to ${answer.target} is no list: ${answer.why}`;
  if (plain.kind === 'refused') return new Blocked('authorization/accepted', sentence);
  if (first.pageSize !== undefined) return new Blocked('page-size/filled', sentence);
  return new Blocked(first.count === true ? 'count/present' : 'authorization/accepted', sentence);
}

/** The whole list with the default page size and `$count=true`. */
export function mainTraversal(snapshot: Snapshot): Promise<Traversal> {
  return snapshot.traversal(null);
}

/** How many records the list is known to hold at least: those that the main traversal reached. */
export async function countKnownRecords(snapshot: Snapshot): Promise<number> {
  const traversal = await mainTraversal(snapshot);
  return traversal.identified
    ? traversal.reached.size
    : Math.max(0, ...traversal.steps.map((step) => step.page.itemCount));
}

/** The length of the list as far as it matters for choosing cases: what was reached, or counted where links fail. */
export async function estimateLength(snapshot: Snapshot): Promise<number> {
  const traversal = await mainTraversal(snapshot);
  const reached = traversal.identified ? traversal.reached.size : (traversal.steps.at(-1)?.given ?? 0);
  if (traversal.end.kind === 'end') return reached;
  const count = traversal.steps[0]?.page.count;
  return Math.max(reached, typeof count === 'number' && Number.isSafeInteger(count) ? count : 0);
}

/** A page size to be tried, and whether `$count=true` goes with it. */
export interface SizeCase {
  readonly pageSize: number;
  readonly count: boolean;
}

/** Page sizes that a full run draws, unless --runs gives another number. */
const DRAWN_SIZES = 24;

/** Every so many drawn page sizes, one is also requested without `$count`. */
const UNCOUNTED_INTERVAL = 6;

/**
 * Page sizes whose first pages are judged: fixed ones where defects are likely, and drawn ones. `certify` takes all sizes.
 * With --runs and in `certify` each size is requested with and without `$count`. Otherwise most sizes are requested with
 * `$count=true` only, because such a page shows more.
 */
export async function sizeCases(context: CheckContext, snapshot: Snapshot): Promise<readonly SizeCase[]> {
  const total = await estimateLength(snapshot);
  const drawn = snapshot.memo.once(nothingDrawn);
  const { suite } = context.options;
  const cases = drawn.get(suite) ?? casesFor(context, total);
  drawn.set(suite, cases);
  return cases;
}

/** What was drawn for a snapshot already: every check of a suite draws the same, and draws from all 500 sizes. */
function nothingDrawn(): Map<Suite, readonly SizeCase[]> {
  return new Map();
}

function casesFor(context: CheckContext, total: number): readonly SizeCase[] {
  const { suite, runs } = context.options;
  if (suite === 'smoke') return both(quickSizes(total));
  const order = sizeOrder(total, (size) => context.random(`size ${size}`));
  if (suite === 'certify') return both(order);
  const ends = boundarySizes(total);
  const walked = traversalSizesOf(context, total);
  const common = commonSizes(total);
  const partial = partialTraversalSizes(total, context.random('stroll'));
  const usual = new Set([...ends, ...walked, ...partial, ...common]);
  const drawn = order.filter((size) => !usual.has(size)).slice(0, runs ?? DRAWN_SIZES);
  if (runs !== null) return both([...usual, ...drawn]);
  const uncounted = drawn.filter((_size, index) => index % UNCOUNTED_INTERVAL === 0);
  const twice = new Set([...ends, ...MOST_COMMON_SIZES.filter((size) => usual.has(size)), ...uncounted]);
  return [
    ...both([...twice]),
    ...[...usual, ...drawn].filter((size) => !twice.has(size)).map((pageSize) => ({ pageSize, count: true })),
  ];
}

function both(sizes: readonly number[]): readonly SizeCase[] {
  return sizes.flatMap((pageSize) => [
    { pageSize, count: true },
    { pageSize, count: false },
  ]);
}

/** Every traversal over the whole list: the main one, and in the full suite those with other page sizes. */
export async function wholeTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly Traversal[]> {
  const main = await mainTraversal(snapshot);
  const sizes = traversalSizesOf(context, await estimateLength(snapshot));
  const traversals = [main, ...(await awaitAll(sizes.map((size) => snapshot.traversal(size))))];
  context.limitedBy(await limitOf(snapshot, traversals));
  return traversals;
}

/** Page sizes of whole traversals besides the default; in `certify` two of them are drawn, whatever suits the length. */
function traversalSizesOf({ options, random }: CheckContext, total: number): readonly number[] {
  if (options.suite === 'smoke') return [];
  const sizes = traversalSizes(total, random('walks'));
  if (options.suite !== 'certify') return sizes;
  const drawn = [random('first walk'), random('second walk')];
  return [...new Set([...sizes, ...drawnTraversalSizes(total, drawn)])];
}

/** What kept traversals from showing the whole list; null where nothing did. What lies behind a limit is not known either. */
async function limitOf(snapshot: Snapshot, traversals: readonly Traversal[]): Promise<Undecided | null> {
  for (const traversal of traversals) {
    const obstacle =
      (await causeOfIncompleteness(snapshot, traversal, traversals)) ??
      (await causeOfDoubtfulEnd(snapshot, traversal));
    if (obstacle !== null) return obstacle;
  }
  return null;
}

/**
 * Traversals of a few pages: with sizes too small to go the whole way, and in `certify` with every size, so that no size is
 * judged by its first page alone.
 */
export async function partialTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly Traversal[]> {
  const { suite } = context.options;
  if (suite === 'smoke') return [];
  const total = await estimateLength(snapshot);
  const long = partialTraversalSizes(total, context.random('stroll'));
  if (suite !== 'certify') return awaitAll(long.map((size) => snapshot.traversal(size, { maxPages: 3 })));
  const sizes = sizeOrder(total, (size) => context.random(`size ${size}`)).filter((size) => size < total);
  return mapInParallel(context.target.limits, sizes, (size) =>
    snapshot.traversal(size, { maxPages: long.includes(size) ? 3 : 2 }),
  );
}

/** Whole traversals and partial traversals. */
export async function allTraversals(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly Traversal[]> {
  const [whole, short] = await awaitAll([
    wholeTraversals(context, snapshot),
    partialTraversals(context, snapshot),
  ]);
  return [...whole, ...short];
}

/**
 * The same traversals, or only the whole ones, the main one before others are asked for: where that shows a breach, the snapshot
 * that confirms it costs no more than that traversal.
 */
export async function* traversalsMainFirst(
  context: CheckContext,
  snapshot: Snapshot,
  { whole }: { readonly whole: boolean },
): AsyncGenerator<Traversal> {
  yield await mainTraversal(snapshot);
  const [, ...others] = await (whole ? wholeTraversals(context, snapshot) : allTraversals(context, snapshot));
  yield* others;
}

/** A first page with what was asked for. */
export interface Asked {
  readonly first: FirstPage;
  readonly answer: ListAnswer;
  /** Page size in force: what was asked, 500 where nothing was. */
  readonly size: number;
}

/** First pages: without parameters, with `$count` alone, and with every page size that is tried. */
export async function firstPages(context: CheckContext, snapshot: Snapshot): Promise<readonly Asked[]> {
  const firsts = await firstsTried(context, snapshot);
  return mapInParallel(context.target.limits, firsts, (first: FirstPage) => askedFor(snapshot, first));
}

/** The request targets of the first pages that are tried. */
export async function firstTargets(context: CheckContext, snapshot: Snapshot): Promise<readonly string[]> {
  return (await firstsTried(context, snapshot)).map((first) => snapshot.targetOf(first));
}

async function firstsTried(context: CheckContext, snapshot: Snapshot): Promise<readonly FirstPage[]> {
  const sized = (await sizeCases(context, snapshot)).map(
    ({ pageSize, count }): FirstPage => (count ? { count, pageSize } : { pageSize }),
  );
  return [{}, { count: true }, ...sized];
}

async function askedFor(snapshot: Snapshot, first: FirstPage): Promise<Asked> {
  const size = typeof first.pageSize === 'number' ? first.pageSize : MAX_PAGE_SIZE;
  return { first, answer: await snapshot.first(first), size };
}

/** A small page size by which most lists have several pages; 0 where a list has none. */
export async function smallPageSize(snapshot: Snapshot): Promise<number> {
  return Math.max(0, Math.min(7, (await countKnownRecords(snapshot)) - 1));
}

/** Queries that spell names with %24, in full or mixed, for that page size. */
export function encodedQueries(context: CheckContext, size: number): readonly string[] {
  const counted = [
    `%24count=true&%24pagesize=${size}`,
    `$count=true&%24pagesize=${size}`,
    `%24count=true&$pagesize=${size}`,
  ];
  return context.options.suite === 'smoke' ? counted : [...counted, `%24pagesize=${size}`];
}

/** `$count=false` with a small page size; but for `smoke` from within the list, where pages reached by links carry one. */
export async function uncountedFirstPage(context: CheckContext, snapshot: Snapshot): Promise<FirstPage> {
  const size = Math.max(1, await smallPageSize(snapshot));
  const within = context.options.suite !== 'smoke' && (await countKnownRecords(snapshot)) > 2 * size;
  return { count: false, pageSize: size, ...(within ? { skip: size } : {}) };
}

/**
 * Every page that was requested with `$count=true`, first pages before linked ones. A traversal is left behind the first
 * link whose query is wrong. A snapshot that confirms a breach requests no more pages than the caller takes.
 */
export function countedPages(context: CheckContext, snapshot: Snapshot): AsyncGenerator<RequestedPage> {
  return countedPagesUpTo(context, snapshot, { steps: stepsWithRightQuery, misstep: firstWrongQuery });
}

/** The same, with each traversal left behind the first page of a wrong size or link with a wrong offset, too. */
export function soundCountedPages(context: CheckContext, snapshot: Snapshot): AsyncGenerator<RequestedPage> {
  return countedPagesUpTo(context, snapshot, { steps: soundSteps, misstep: firstMisstep });
}

async function* countedPagesUpTo(
  context: CheckContext,
  snapshot: Snapshot,
  bound: {
    readonly steps: (traversal: Traversal) => readonly Step[];
    readonly misstep: (traversal: Traversal) => Misstep | null;
  },
): AsyncGenerator<RequestedPage> {
  if (snapshot.number === 0)
    await awaitAll([firstPages(context, snapshot), allTraversals(context, snapshot)]);
  for (const tried of await firstsTried(context, snapshot)) {
    if (tried.count !== true) continue;
    const { first, answer, size } = await askedFor(snapshot, tried);
    if (answer.kind !== 'page') continue;
    const pageSize = typeof first.pageSize === 'number' ? first.pageSize : null;
    const allFilled = answer.itemCount === size;
    yield pageOfTraversal(answer, size, 0, { pageSize, number: 1, allFilled });
  }
  for (const traversal of await allTraversals(context, snapshot)) {
    const steps = bound.steps(traversal);
    let allFilled = true;
    for (const { page, sizeInForce: size, number, given } of steps) {
      allFilled &&= page.itemCount === size;
      yield pageOfTraversal(page, size, given - page.itemCount, {
        pageSize: traversal.pageSize,
        number,
        allFilled,
      });
    }
    const misstep = bound.misstep(traversal);
    // The pages behind it are not judged.
    if (misstep !== null && steps.length < traversal.steps.length)
      context.limitedBy(blockedByMisstep(misstep));
  }
}

function pageOfTraversal(page: Page, size: number, skip: number, position: Position): RequestedPage {
  const { pageSize } = position;
  return {
    page,
    counting: true,
    pageSize: pageSize === null ? null : String(pageSize),
    size,
    skip,
    position,
  };
}

/** What follows from a call that should have been answered with a list and was refused: what that holds is not told. */
export function blockedByRefusal({ target, status, why }: NoPage): Blocked {
  const query = target.split('?')[1] ?? '';
  const names = new Set(readQuery(query).map(({ name }) => name));
  const broken =
    status === 401 || status === 403
      ? 'authorization/accepted'
      : query.includes('%24')
        ? 'page-size/encoded-name'
        : names.has('$skip')
          ? 'traversal/by-parameters'
          : names.has('$pagesize')
            ? 'page-size/filled'
            : names.has('$count')
              ? 'count/present'
              : 'authorization/accepted';
  return new Blocked(broken, `${target} was refused: ${why}`);
}
