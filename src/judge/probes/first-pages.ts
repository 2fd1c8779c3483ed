import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import type { Suite } from '../../core/results.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { FirstPage, Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext, Property } from '../context.ts';
import { mapInParallel, neededOrNull } from '../outcomes.ts';
import { countKnownRecords, estimateLength } from './list-facts.ts';
import {
  boundarySizes,
  commonSizes,
  drawnTraversalSizes,
  partialTraversalSizes,
  quickSizes,
  sizeOrder,
  traversalSizes,
} from './page-sizes.ts';

/** A first page of a size from 1 to 500, with `$count=true`, with `$count=false` or without `$count`. */
export interface SizeCase extends FirstPage {
  readonly pageSize: number;
  readonly count?: boolean;
  readonly skip?: number;
}

/** Page sizes that a full run draws, unless --runs gives another number. */
const DRAWN_SIZES = 24;

/** Fixed and drawn page sizes of a full run: if the length of the list has many divisors, fewer others are drawn. */
const MAX_SIZES = 37;

/** The small page size of a smoke run, and of lists too short for a drawn one. */
const USUAL_SMALL_SIZE = 7;

/** Ranges from which the small page size of other runs is drawn: defects may concern small or large pages only. */
const SMALL_SIZES = [20, 250];

/** Page sizes at most of which a full run follows the first link. */
export const MAX_FOLLOWED = 14;

/** One in this number of drawn page sizes, and the largest, is requested without `$count` instead of with it. */
const UNCOUNTED_INTERVAL = 6;
/** Of the drawn page sizes that would be requested from within the list, the first pages of these are requested without `$count`. */
const UNCOUNTED_FIRST = { interval: 9, offset: 7 };

/** The page sizes of a run. */
interface DrawnSizes {
  /** Sizes whose first pages are judged: fixed ones that are likely to show defects, and drawn ones. */
  readonly first: readonly SizeCase[];
  /** Sizes of pages from within the list. */
  readonly within: readonly SizeCase[];
  /** Drawn and common sizes of which a full run requests the first page and the one behind its link. */
  readonly followed: readonly number[];
}

/**
 * Page sizes and offsets for a cache that joins the digits of both: it takes 2 and 50 for 25 and 0. The joined sizes are among
 * {@link commonSizes}. So is 11, for a cache that joins nothing where there is no offset: it takes 1 and 1 for 11.
 */
const JOINED_DIGITS = [
  [2, 50],
  [12, 80],
  [25, 60],
] as const;
/** Their place among the pages from within the list. */
const PLACE_OF_JOINED = 2;

/** The place of the page that begins within the first one: a provider that counts pages treats its offset as 0. */
const PLACE_ON_FIRST = 1;

/** The place of the full page that holds the last records: a provider that counts pages may give it a link. */
const PLACE_AT_END = 3;

/**
 * Queries for pages of drawn sizes from within the list, with their parameters in changing order.
 *
 * - The first page begins at 0.
 * - The second one begins within the first page of its size.
 * - The third one has the size and the offset of one of {@link JOINED_DIGITS}.
 * - The fourth one is full and ends with the last record.
 * - Each other one begins at a drawn multiple of its size. If it is counted, records follow, so that it has a link.
 */
export async function pagesWithin(context: CheckContext): Promise<readonly string[]> {
  const total = await estimateLength(context.snapshot);
  const pairs = JOINED_DIGITS.filter(([size, skip]) => skip + size < total);
  const joined = pairs[context.random('joined digits') % pairs.length];
  return (await drawnSizes(context)).within.map(({ pageSize, count }, index) => {
    const behind = Math.ceil(total / pageSize) - 1;
    const pages = Math.max(1, count === true ? behind - 1 : behind);
    const drawn = context.random(`page of ${pageSize}`);
    // Clients that build their own queries begin with $skip=0.
    const multiple = index === 0 ? 0 : pageSize * (1 + (drawn % pages));
    const below = 1 + (drawn % Math.max(1, Math.min(pageSize, total - pageSize) - 1));
    const unaligned = new Map([
      [PLACE_ON_FIRST, below],
      [PLACE_AT_END, total - pageSize],
    ]);
    const [size, skip] = (index === PLACE_OF_JOINED ? joined : undefined) ?? [
      pageSize,
      unaligned.get(index) ?? multiple,
    ];
    const counting = count === undefined ? [] : [`$count=${count}`];
    const query = [...counting, `$pagesize=${size}`, `$skip=${skip}`];
    return (index % 2 === 0 ? query : query.toReversed()).join('&');
  });
}

/** The page sizes that the checks of a suite request, drawn once per snapshot. */
export async function drawnSizes(context: CheckContext): Promise<DrawnSizes> {
  const { snapshot } = context;
  const total = await estimateLength(snapshot);
  const drawn = snapshot.memo.once(nothingDrawn);
  const { suite } = context.options;
  const small = Math.max(1, await smallPageSize(context));
  const sizes = drawn.get(suite) ?? drawSizes(context, total, small);
  drawn.set(suite, sizes);
  return sizes;
}

/** The sizes of a snapshot by suite: every check of a suite draws the same. */
function nothingDrawn(): Map<Suite, DrawnSizes> {
  return new Map();
}

/**
 * With --runs each size is requested with and without `$count`. `certify` does so for each of the 500 sizes, for one of
 * the two from within the list. `full` requests most sizes with `$count=true` only, because such a page shows more, and
 * two of three drawn ones from within the list.
 */
function drawSizes(context: CheckContext, total: number, small: number): DrawnSizes {
  const { suite, runs } = context.options;
  const counted = (pageSize: number): SizeCase => ({ pageSize, count: true });
  const uncounted = (pageSize: number): SizeCase =>
    isCountFalse(context, pageSize) ? { pageSize, count: false } : { pageSize };
  const both = (sizes: readonly number[]): readonly SizeCase[] =>
    sizes.flatMap((size) => [counted(size), uncounted(size)]);
  if (suite === 'smoke') return { first: both(quickSizes(total)), within: [], followed: [] };
  const order = sizeOrder(total, (size) => context.random(`size ${size}`));
  if (suite === 'certify') {
    const paged = order.filter((size) => size < total);
    const first = paged.map((size, index) => (index % 2 === 0 ? counted(size) : uncounted(size)));
    const within = paged.map((size, index) => (index % 2 === 0 ? uncounted(size) : counted(size)));
    return { first: [...first, ...both(order.filter((size) => size >= total))], within, followed: [] };
  }
  const ends = boundarySizes(total);
  const traversed = traversalSizesOf(context, total);
  const common = commonSizes(total);
  const partial = partialTraversalSizes(total, context.random('small size'));
  const usual = new Set([small, ...ends, ...traversed, ...partial, ...common]);
  const drawn = order
    .filter((size) => !usual.has(size))
    .slice(0, runs ?? Math.min(DRAWN_SIZES, Math.max(0, MAX_SIZES - usual.size)));
  if (runs !== null) return { first: both([...usual, ...drawn]), within: [], followed: [] };
  // The neighbours of the largest size are requested with it only; without it, too, one of the smallest or common
  // sizes.
  const twice = new Set(ends.filter((size) => size > 2 && size !== MAX_PAGE_SIZE - 1));
  const uncountable = [1, 2, ...common].filter((size) => usual.has(size));
  twice.add(uncountable[context.random('uncounted size') % uncountable.length] ?? MAX_PAGE_SIZE);
  const once = [...usual].filter((size) => !twice.has(size)).map(counted);
  const largest = Math.max(...drawn);
  const isUncountedFirst = (index: number): boolean =>
    index % UNCOUNTED_FIRST.interval === UNCOUNTED_FIRST.offset;
  const cases = drawn.map((size, index) =>
    index % UNCOUNTED_INTERVAL === 0 || isUncountedFirst(index) || size === largest
      ? uncounted(size)
      : counted(size),
  );
  const isWithin = ({ pageSize }: SizeCase, index: number): boolean =>
    index % 3 > 0 && !isUncountedFirst(index) && pageSize < total && pageSize !== largest;
  const alone = cases.filter((one, index) => !isWithin(one, index));
  const followed = [...alone, ...common.map(counted)]
    .filter(({ pageSize, count }) => count === true && pageSize < total && !traversed.includes(pageSize))
    .slice(0, MAX_FOLLOWED);
  return {
    first: [...both([...twice]), ...once, ...alone],
    within: cases.filter(isWithin),
    followed: followed.map(({ pageSize }) => pageSize),
  };
}

export interface FirstPageAnswer {
  readonly first: FirstPage;
  readonly answer: ListAnswer;
  /** Page size in force: the requested one, or 500. */
  readonly size: number;
}

/**
 * First pages: without parameters, with `$count` alone, and with every page size of sizeCases. Those without an answer are left
 * out, and limit the check.
 */
export async function firstPages(context: CheckContext): Promise<readonly FirstPageAnswer[]> {
  await sendFirstPages(context);
  // Read each time, so that the evidence names every check that used them.
  return requestFirstPages(context);
}

/** One check sends all of them: otherwise the order of two checks would depend on timing. */
async function sendFirstPages(context: CheckContext): Promise<void> {
  const sending: CheckContext = { ...context, limitedBy: () => undefined };
  await context.snapshot.memo.once(requestFirstPages, sending).catch(() => undefined);
}

async function requestFirstPages(context: CheckContext): Promise<readonly FirstPageAnswer[]> {
  const firsts = await firstPageCases(context);
  const answers = await mapInParallel(context.target.limits, firsts, (first: FirstPage) =>
    neededOrNull(context, requestFirstPage(context.snapshot, first)),
  );
  return answers.filter((answer) => answer !== null);
}

/** Page sizes from 1 to 500 with and without `$count`. Rules about every page size share this sample. */
export async function pageSizeProperty(context: CheckContext, atRest: boolean): Promise<Property<SizeCase>> {
  // Together with the other checks that request them.
  await sendFirstPages(context);
  return {
    sample: 'page sizes',
    atRest,
    examples: (await drawnSizes(context)).first,
    runs: null,
    // Not drawn from, only used to shrink a breach.
    arbitrary: (fastCheck) =>
      fastCheck.record(
        { pageSize: fastCheck.integer({ min: 1, max: MAX_PAGE_SIZE }), count: fastCheck.boolean() },
        { requiredKeys: ['pageSize'] },
      ),
    prepare: (snapshot, value) => snapshot.first(value),
  };
}

/** What these first pages are requested with. */
export async function firstPageCases(context: CheckContext): Promise<readonly FirstPage[]> {
  return [...unsizedCases(context), ...(await drawnSizes(context)).first];
}

/** Those of the default page size. */
export function unsizedCases({ options }: CheckContext): readonly FirstPage[] {
  return [{}, { count: true }, ...(options.suite === 'smoke' ? [] : [{ count: false }])];
}

/**
 * Whether the first page of that size without a count is requested with `$count=false`, and not by leaving `$count`
 * out: for about half of the sizes that a smoke run does not request.
 */
function isCountFalse({ options, random }: CheckContext, pageSize: number): boolean {
  return options.suite !== 'smoke' && pageSize > USUAL_SMALL_SIZE && random(`false ${pageSize}`) % 2 === 1;
}

export async function requestFirstPage(snapshot: Snapshot, first: FirstPage): Promise<FirstPageAnswer> {
  const size = typeof first.pageSize === 'number' ? first.pageSize : MAX_PAGE_SIZE;
  return { first, answer: await snapshot.first(first), size };
}

/**
 * The page size for comparing ways to request a page: drawn by the seed so that the list has several pages; 0 for a
 * list of at most one record.
 */
export async function smallPageSize(context: CheckContext): Promise<number> {
  const known = await countKnownRecords(context.snapshot);
  const drawn = context.random('small page size');
  const largest = SMALL_SIZES[drawn % SMALL_SIZES.length] ?? USUAL_SMALL_SIZE;
  const size = 3 + ((drawn >>> 1) % (largest - 2));
  const isUsual = context.options.suite === 'smoke' || 2 * size >= known;
  return Math.max(0, Math.min(isUsual ? USUAL_SMALL_SIZE : size, known - 1));
}

/** `$count=true` alone, spelled with %24: a provider may read the encoded name only together with another parameter. */
export const ENCODED_COUNT = '%24count=true';

/**
 * Queries with `$count=true` for that page size that spell all or some names with %24: each name is encoded once as the
 * first and once as the second parameter. The seed decides which query has which order; `certify` sends each in both.
 */
export function encodedQueries({ options }: CheckContext, size: number): readonly string[] {
  const both = [ENCODED_COUNT, `%24pagesize=${size}`];
  const one = ['$count=true', `%24pagesize=${size}`];
  const other = [ENCODED_COUNT, `$pagesize=${size}`];
  const ofEvenSeeds = [both.toReversed(), one, other];
  const ofOddSeeds = [both, one.toReversed(), other.toReversed()];
  const ofSeed = options.seed % 2 === 0 ? ofEvenSeeds : ofOddSeeds;
  const pairs = options.suite === 'certify' ? [...ofEvenSeeds, ...ofOddSeeds] : ofSeed;
  return pairs.map((pair) => pair.join('&'));
}

/**
 * A query without count for the page size and the $skip of {@link uncountedFirstPage}, with names spelled with %24: with
 * `%24count=false`, or without it, as the seed decides; always with it in `certify`. Null in `smoke`.
 */
export async function encodedUncountedQuery(context: CheckContext): Promise<string | null> {
  const { options, random } = context;
  if (options.suite === 'smoke') return null;
  const { pageSize, skip } = await uncountedFirstPage(context);
  const isWithCount = options.suite === 'certify' || random('encoded page') % 2 === 0;
  const query = `${isWithCount ? '%24count=false&' : ''}%24pagesize=${pageSize}`;
  return skip === undefined ? query : `${query}&%24skip=${skip}`;
}

/** `$count=false` with a small page size; except in `smoke` also with a drawn $skip, as a linked page has. */
export async function uncountedFirstPage(context: CheckContext): Promise<FirstPage> {
  const size = Math.max(1, await smallPageSize(context));
  // More records follow after each of them.
  const pages = Math.ceil((await countKnownRecords(context.snapshot)) / size) - 2;
  if (context.options.suite === 'smoke' || pages < 1) return { count: false, pageSize: size };
  return { count: false, pageSize: size, skip: size * (1 + (context.random('uncounted page') % pages)) };
}

/**
 * Requests the page of {@link uncountedFirstPage}; without its $skip if it is refused, since the
 * specification shows no $skip without a count.
 */
export async function requestUncountedPage(context: CheckContext): Promise<ListAnswer> {
  const { snapshot } = context;
  const { skip, ...first } = await uncountedFirstPage(context);
  const answer = skip === undefined ? null : await snapshot.first({ ...first, skip });
  return answer === null || answer.kind === 'refused' ? snapshot.first(first) : answer;
}

/** Page sizes of whole traversals other than the default; in `certify` a further one is drawn. */
export function traversalSizesOf({ options, random }: CheckContext, total: number): readonly number[] {
  if (options.suite === 'smoke') return [];
  const sizes = traversalSizes(total, random('traversal size'));
  if (options.suite !== 'certify') return sizes;
  return [...new Set([...sizes, ...drawnTraversalSizes(total, [random('further traversal size')])])];
}
