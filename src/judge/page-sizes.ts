/** The largest page size that the specification knows, and the one applied where none is asked for (8). */
export const MAX_PAGE_SIZE = 500;

/** Page sizes where defects live: the ends of the range, a short list's own length and its neighbours. */
export function boundarySizes(total: number): readonly number[] {
  return inRange([1, 2, MAX_PAGE_SIZE - 1, MAX_PAGE_SIZE, total - 1, total, total + 1]);
}

/** Divisors of a list's length that are always tried. */
const MAX_DIVISORS = 32;

/** Page sizes that programmers pick, and those that divide the list or leave a last page of one. */
export function commonSizes(total: number): readonly number[] {
  const boundaries = new Set(boundarySizes(total));
  const whole = divisors(total);
  // Few numbers have more; of those the ends are taken.
  const dividing = [
    ...whole.slice(0, MAX_DIVISORS / 2),
    ...whole.slice(-MAX_DIVISORS / 2),
    ...divisors(total - 1).slice(-1),
  ];
  return inRange([7, 10, 50, 100, 128, 200, 250, 256, ...dividing]).filter((size) => !boundaries.has(size));
}

/** Of the sizes that programmers pick, the one picked most: tried with and without `$count`. */
export const MOST_COMMON_SIZES: readonly number[] = [100];

/**
 * Page sizes where defects live, ascending: the ends of the range, powers of two and of ten, what programmers pick,
 * divisors of the list's length, sizes that leave a last page of one, and the neighbours of all of these.
 */
export function likelySizes(total: number): readonly number[] {
  const telling = [
    ...boundarySizes(total),
    ...commonSizes(total),
    ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 10, 100],
    ...divisors(total),
    ...divisors(total - 1),
  ];
  return inRange(telling.flatMap((size) => [size - 1, size, size + 1]));
}

/** How much more often a likely size is drawn than any other one. */
const LIKELY_WEIGHT = 8;

/**
 * Every page size from 1 to 500, once, in a drawn order: each next size is a likely one eight times as often as another
 * one. A run that takes more of them takes the same ones first.
 *
 * @param draw a random number from 0 to 2^32 - 1 for a size
 */
export function sizeOrder(total: number, draw: (size: number) => number): readonly number[] {
  const likely = new Set(likelySizes(total));
  // Sorting by exponential variates of these rates is weighted sampling without replacement.
  const rank = (size: number): number =>
    -Math.log((draw(size) + 0.5) / 2 ** 32) / (likely.has(size) ? LIKELY_WEIGHT : 1);
  return Array.from({ length: MAX_PAGE_SIZE }, (_none, index) => index + 1)
    .map((size) => ({ size, rank: rank(size) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ size }) => size);
}

/** Two sizes for a quick look: the smallest, and one that cuts most lists. */
export function quickSizes(total: number): readonly number[] {
  return inRange([1, Math.min(7, Math.max(1, total - 1))]);
}

/**
 * Page sizes, other than the default, with which a list is traversed as a whole: a large one and a small one, so that
 * what depends on the size shows. The large one divides the list or leaves a last page of one where such a size
 * exists; a short list is traversed with both, a very long one with the large one alone.
 */
export function traversalSizes(total: number, drawn: number): readonly number[] {
  if (total < 2) return inRange([1]);
  const largest = Math.min(MAX_PAGE_SIZE - 1, total - 1);
  const least = Math.min(largest, Math.max(1, Math.ceil(total / 4)));
  const fits = (size: number): boolean => size >= least && size <= largest;
  const dividing = divisors(total).filter(fits).at(-1);
  const leavingOne = divisors(total - 1)
    .filter(fits)
    .at(-1);
  const between = least + (drawn % (largest - least + 1));
  const large = [leavingOne, dividing].filter((size) => size !== undefined);
  const chosen = large.length > 0 ? large.slice(0, total <= MAX_PAGE_SIZE ? 2 : 1) : [between];
  const small = Math.max(1, Math.ceil(total / 13));
  return inRange(total > 8 * MAX_PAGE_SIZE ? chosen : [...chosen, small]);
}

/** Page sizes for whole traversals that nothing but the draw decides: of at least 25 records, so that traversals stay short. */
export function drawnTraversalSizes(total: number, drawn: readonly number[]): readonly number[] {
  const least = Math.min(25, total);
  const largest = Math.min(MAX_PAGE_SIZE - 1, total - 1);
  return largest < least ? [] : inRange(drawn.map((one) => least + (one % (largest - least + 1))));
}

/** Page sizes, too small to traverse most lists as a whole, with which the first few pages are traversed. */
export function partialTraversalSizes(total: number, drawn: number): readonly number[] {
  return inRange([1, 2 + (drawn % 30)]).filter((size) => size < total);
}

/** Sizes small enough to leave a full last page of a list, found by jumping to its end. */
export function dividingSizes(total: number): readonly number[] {
  return divisors(total)
    .filter((size) => size < Math.min(total, MAX_PAGE_SIZE + 1))
    .slice(0, 3);
}

/** Lengths of lists whose divisors are remembered: nearly every check of a list asks for those of its length. */
const MAX_REMEMBERED_LENGTHS = 64;
const known = new Map<number, readonly number[]>();

/** Divisors of a number between 2 and 500, ascending. */
function divisors(number: number): readonly number[] {
  const remembered = known.get(number);
  if (remembered !== undefined) return remembered;
  const found: number[] = [];
  for (let candidate = 2; candidate <= Math.min(number, MAX_PAGE_SIZE); candidate++)
    if (number % candidate === 0) found.push(candidate);
  if (known.size >= MAX_REMEMBERED_LENGTHS) known.clear();
  known.set(number, found);
  return found;
}

function inRange(sizes: readonly number[]): readonly number[] {
  return [...new Set(sizes)]
    .filter((size) => Number.isInteger(size) && size >= 1 && size <= MAX_PAGE_SIZE)
    .sort((one, other) => one - other);
}
