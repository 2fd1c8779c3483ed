import { MAX_PAGE_SIZE } from '../../core/page-size.ts';

/** Page sizes that are likely to show defects: the ends of the range, the length of a short list and its neighbours. */
export function boundarySizes(total: number): readonly number[] {
  return inRange([1, 2, MAX_PAGE_SIZE - 1, MAX_PAGE_SIZE, total - 1, total, total + 1]);
}

/** Divisors of a list's length that are always tried. */
const MAX_DIVISORS = 32;

/** Page sizes that clients choose, ascending. */
export const USUAL_SIZES = [10, 20, 25, 50, 100, 200, 250];

/** Page sizes that programmers choose, and sizes that divide the list or leave one record on the last page. */
export function commonSizes(total: number): readonly number[] {
  const boundaries = new Set(boundarySizes(total));
  const whole = divisors(total);
  // Few lengths have more divisors; of these, the smallest and largest divisors are taken.
  const dividing = [
    ...whole.slice(0, MAX_DIVISORS / 2),
    ...whole.slice(-MAX_DIVISORS / 2),
    ...divisors(total - 1).slice(-1),
  ];
  return inRange([...USUAL_SIZES, 11, 128, 256, ...dividing]).filter((size) => !boundaries.has(size));
}

/**
 * Page sizes that are likely to show defects, ascending: the ends of the range, powers of two and of ten, common sizes,
 * divisors of the list's length, and sizes that leave one record on the last page. Also the neighbours of all of these.
 */
export function likelySizes(total: number): readonly number[] {
  const likely = [
    ...boundarySizes(total),
    ...commonSizes(total),
    ...[1, 2, 4, 7, 8, 16, 32, 64, 128, 256, 10, 100],
    ...divisors(total),
    ...divisors(total - 1),
  ];
  return inRange(likely.flatMap((size) => [size - 1, size, size + 1]));
}

/** How much more often a likely size is drawn than any other one. */
const LIKELY_WEIGHT = 8;

/** Records of the longest list that is also traversed record by record. */
const MAX_SINGLES = 40;

/** The largest size of each band. The first drawn sizes include one of each band: defects often concern a range. */
const BANDS = [11, 15, 20, 27, 36, 48, 64, 86, 115, 154, 206, 275, 367, MAX_PAGE_SIZE];

/** The smallest size of the first band. */
const FIRST_OF_BANDS = 8;

/**
 * Every page size from 1 to 500, once, in a drawn order. The sizes come from the bands in turn; within a band, a likely
 * size is drawn eight times as often as another. A run that takes more sizes takes the same ones first.
 *
 * @param draw a random number from 0 to 2^31 - 1 for a size
 */
export function sizeOrder(total: number, draw: (size: number) => number): readonly number[] {
  const likely = new Set(likelySizes(total));
  // Sorting by exponential variates of these rates is weighted sampling without replacement.
  const rank = (size: number): number =>
    -Math.log((draw(size) + 0.5) / 2 ** 31) / (likely.has(size) ? LIKELY_WEIGHT : 1);
  const sizes = Array.from({ length: MAX_PAGE_SIZE }, (_none, index) => index + 1);
  const ranked = sortedBy(sizes, rank);
  const ofBands = BANDS.map((last, band) => {
    const first = band === 0 ? FIRST_OF_BANDS : (BANDS[band - 1] ?? 0) + 1;
    return first + (draw(first) % (last - first + 1));
  });
  // Every run draws a size of the band of large pages, which few other requests have.
  const bands = [...ofBands.slice(-1), ...sortedBy(ofBands.slice(0, -1), draw)];
  return [...new Set(ranked.flatMap((size, index) => [size, ...bands.slice(index, index + 1)]))];
}

function sortedBy(sizes: readonly number[], key: (size: number) => number): readonly number[] {
  return sizes
    .map((size) => ({ size, rank: key(size) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ size }) => size);
}

/** Two sizes for the smoke suite: the smallest, and one with which most lists have several pages. */
export function quickSizes(total: number): readonly number[] {
  return inRange([1, Math.min(7, Math.max(1, total - 1))]);
}

/** Pages of the longest traversal of a whole list, but for lists of a few records. */
const MAX_TRAVERSED_PAGES = 13;

/**
 * Page sizes of whole traversals, other than the default: a large, a small and a drawn one, to find what depends on the
 * size. If possible the large one divides the list or leaves one record on the last page, and every second drawn one leaves
 * the last page one record short of full. A short list is traversed with both kinds of large sizes instead of a drawn one, a
 * very long one with the large one only.
 */
export function traversalSizes(total: number, drawn: number): readonly number[] {
  if (total < 2) return inRange([1]);
  const largest = Math.min(MAX_PAGE_SIZE - 1, total - 1);
  const leastFor = (pages: number): number => Math.min(largest, Math.max(1, Math.ceil(total / pages)));
  const between = (pages: number): number =>
    leastFor(pages) + ((drawn >>> 1) % (largest - leastFor(pages) + 1));
  const fits = (size: number): boolean => size >= total / 4 && size <= largest;
  const dividing = divisors(total).filter(fits).at(-1);
  const leavingOne = divisors(total - 1)
    .filter(fits)
    .at(-1);
  const large = [leavingOne, dividing].filter((size) => size !== undefined);
  const leavingOneShort = divisors(total + 1)
    .filter((size) => size >= leastFor(9) && size <= largest)
    .at(-1);
  const drawnSize = (drawn % 2 === 0 ? leavingOneShort : undefined) ?? between(9);
  const isShort = total <= MAX_PAGE_SIZE;
  const chosen = large.length > 0 ? large.slice(0, isShort ? 2 : 1) : [between(4)];
  if (total > 8 * MAX_PAGE_SIZE) return inRange(chosen);
  const single = total <= MAX_SINGLES ? [1] : [];
  const small = Math.max(1, Math.ceil(total / MAX_TRAVERSED_PAGES));
  // One that clients use, if it makes the traversal no longer.
  const usual = USUAL_SIZES.find((size) => size >= small && size < Math.min(...chosen));
  return inRange([...single, ...chosen, ...(isShort ? [] : [drawnSize]), usual ?? small]);
}

/** Random page sizes for whole traversals, of at least 25 records, so that traversals stay short. */
export function drawnTraversalSizes(total: number, drawn: readonly number[]): readonly number[] {
  const least = Math.min(25, total);
  const largest = Math.min(MAX_PAGE_SIZE - 1, total - 1);
  return largest < least ? [] : inRange(drawn.map((one) => least + (one % (largest - least + 1))));
}

/**
 * Page sizes that are too small to traverse most lists as a whole; only the first few pages are traversed with them.
 */
export function partialTraversalSizes(total: number, drawn: number): readonly number[] {
  return inRange([1, 2 + (drawn % 30)]).filter((size) => size < total);
}

/** The smallest sizes that divide a list, so that its last page is full. */
export function dividingSizes(total: number): readonly number[] {
  return divisors(total)
    .filter((size) => size < Math.min(total, MAX_PAGE_SIZE + 1))
    .slice(0, 3);
}

/**
 * The smallest size, but for 1, that leaves one record on the last page of a list; 1 if there is no other. Null if a traversal
 * has such a size.
 */
export function sizeLeavingOne(total: number, traversed: readonly number[]): number | null {
  if ([MAX_PAGE_SIZE, ...traversed].some((size) => size === 1 || total % size === 1)) return null;
  return divisors(total - 1).at(0) ?? 1;
}

/** Divisors of a number between 2 and 500, ascending. */
function divisors(number: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; candidate <= Math.min(number, MAX_PAGE_SIZE); candidate++)
    if (number % candidate === 0) found.push(candidate);
  return found;
}

function inRange(sizes: readonly number[]): readonly number[] {
  return [...new Set(sizes)]
    .filter((size) => Number.isInteger(size) && size >= 1 && size <= MAX_PAGE_SIZE)
    .sort((one, other) => one - other);
}
