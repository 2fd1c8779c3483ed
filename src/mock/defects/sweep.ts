import { type Defect, defectsWith, type Row, subtle } from '../defect.ts';
import { isOfSize } from '../page-tests.ts';
import { addToCount, addToOffset, changeRecordCountAt, onPages } from '../step-changes.ts';

/** What is broken at one page size: one record too many, one too few, $skip or count one too high. */
export type SweepKind = 'limit' | 'filled' | 'offset' | 'count';

/** Every kind, in the order of the catalogue. */
export const SWEEP_KINDS: readonly SweepKind[] = ['limit', 'filled', 'offset', 'count'];

/** Smallest page size at which each kind is possible. */
const MIN_PAGE_SIZES: Readonly<Record<SweepKind, number>> = { limit: 1, filled: 2, offset: 1, count: 1 };

const ROWS: Readonly<Record<SweepKind, (size: number) => Row>> = {
  limit: (size) =>
    subtle(`A page size of ${size} gives ${size + 1} records; all other sizes are correct.`, {
      keywords: ['record'],
      must: ['page-size/limit'],
      may: ['page-size/filled', 'page-size/maximum'],
    }).by(changeRecordCountAt(size, size + 1)),
  filled: (size) =>
    subtle(`A page size of ${size} gives ${size - 1} records; all other sizes are correct.`, {
      keywords: ['record'],
      must: ['page-size/filled'],
    }).by(changeRecordCountAt(size, size - 1)),
  offset: (size) =>
    subtle(`With a page size of ${size}, $skip of nextPageLink is one too high; other sizes are correct.`, {
      keywords: ['$skip'],
      must: ['link/offset'],
      may: ['traversal/same-records', 'count/equals-records'],
    }).by(onPages(isOfSize(size))(addToOffset(1))),
  count: (size) =>
    subtle(`With a page size of ${size} count is one more than with others.`, {
      keywords: ['count'],
      must: ['count/stable'],
      may: ['count/equals-records'],
    }).by(onPages(isOfSize(size))(addToCount(1))),
};

/**
 * A defect that shows at one page size only, named `sweep-<kind>-at-<size>`. Throws RangeError unless `size` is a
 * whole number from 1 (for `filled`, from 2) to 500.
 */
export function sweepDefect(kind: SweepKind, size: number): Defect {
  if (!Number.isInteger(size) || size < MIN_PAGE_SIZES[kind] || size > 500) {
    throw new RangeError(
      `the page size must be a whole number from ${MIN_PAGE_SIZES[kind]} to 500, not ${size}`,
    );
  }
  const id = `sweep-${kind}-at-${size}`;
  return defectsWith({})({ [id]: ROWS[kind](size) })[0] as Defect;
}

/** The sweep defect with this identifier, or undefined. Throws RangeError for an impossible page size. */
export function findSweepDefect(id: string): Defect | undefined {
  const named = /^sweep-([a-z]+)-at-(\d{1,9})$/.exec(id);
  const kind = SWEEP_KINDS.find((one) => one === named?.[1]);
  return kind === undefined ? undefined : sweepDefect(kind, Number(named?.[2]));
}
