import { type Defect, defectOf } from '../defect.ts';
import { wrap } from '../pipeline.ts';
import { changeRecordCount } from './requested-page-size.ts';

/** What is broken at one page size: one record too many, one too few, one too far, one too much. */
export type SweepKind = 'limit' | 'filled' | 'offset' | 'count';

/** Every kind, in the order of the catalogue. */
export const SWEEP_KINDS: readonly SweepKind[] = ['limit', 'filled', 'offset', 'count'];

/** Least page size at which each kind can be planted. */
const MIN_PAGE_SIZES: Readonly<Record<SweepKind, number>> = { limit: 1, filled: 2, offset: 1, count: 1 };

/**
 * A defect that shows at one page size only, named `sweep-<kind>-at-<size>`. Throws RangeError where it
 * cannot be planted: `size` is a whole number to 500, from 1 or, for `filled`, from 2.
 */
export function sweepDefect(kind: SweepKind, size: number): Defect {
  if (!Number.isInteger(size) || size < MIN_PAGE_SIZES[kind] || size > 500) {
    throw new RangeError(
      `the page size must be a whole number from ${MIN_PAGE_SIZES[kind]} to 500, not ${size}`,
    );
  }
  const id = `sweep-${kind}-at-${size}`;
  const shared = { id, difficulty: 'subtle' } as const;
  if (kind === 'limit') {
    return defectOf({
      ...shared,
      sentence: `A page size of ${size} gives ${size + 1} records; all other sizes are right.`,
      keywords: ['record'],
      must: ['page-size/limit'],
      may: ['page-size/filled', 'page-size/maximum'],
      apply: changeRecordCount((asked) => (asked === size ? size + 1 : asked)),
    });
  }
  if (kind === 'filled') {
    return defectOf({
      ...shared,
      sentence: `A page size of ${size} gives ${size - 1} records; all other sizes are right.`,
      keywords: ['record'],
      must: ['page-size/filled'],
      apply: changeRecordCount((asked) => (asked === size ? size - 1 : asked)),
    });
  }
  if (kind === 'offset') {
    return defectOf({
      ...shared,
      sentence: `With a page size of ${size}, $skip of nextPageLink is one too many; other sizes are right.`,
      keywords: ['$skip'],
      must: ['link/offset'],
      may: ['traversal/same-records', 'count/equals-records'],
      apply: wrap(
        'linkParameters',
        (inner) => (page, service) =>
          inner(page, service).map(([name, value]) => {
            const shifted = name === '$skip' && page.pageSize === size;
            return [name, shifted ? String(Number(value) + 1) : value];
          }),
      ),
    });
  }
  return defectOf({
    ...shared,
    sentence: `With a page size of ${size} count is one more than with others.`,
    keywords: ['count'],
    must: ['count/stable'],
    may: ['count/equals-records'],
    apply: wrap('count', (count) => (page, service) => {
      const value = count(page, service);
      return typeof value === 'number' && page.pageSize === size ? value + 1 : value;
    }),
  });
}

/**
 * The sweep defect of this identifier, or undefined when it names none. Throws RangeError where it names a size at
 * which there can be none.
 */
export function findSweepDefect(id: string): Defect | undefined {
  const named = /^sweep-([a-z]+)-at-(\d{1,9})$/.exec(id);
  const kind = SWEEP_KINDS.find((one) => one === named?.[1]);
  return kind === undefined ? undefined : sweepDefect(kind, Number(named?.[2]));
}
