import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Change, type Page, valuesOf, wrap } from '../pipeline.ts';

/** What was asked for as page size, as text; undefined when nothing was. */
export function requestedSize(page: Page): string | undefined {
  return valuesOf(page, '$pagesize')[0];
}

/** The whole number from 1 to 500 that was asked for, or undefined. */
export function requestedSizeInRange(page: Page): number | undefined {
  const size = Number(requestedSize(page) ?? Number.NaN);
  return Number.isInteger(size) && size >= 1 && size <= MAX_PAGE_SIZE ? size : undefined;
}

/** Replaces the page size where `choose` gives a number. */
export function changePageSize(choose: (page: Page) => number | undefined): Change {
  return wrap('pageSize', (inner) => (page, service) => choose(page) ?? inner(page, service));
}

/**
 * Replaces the number of records on the page, leaving the page size in force (and so the links) as it was
 * asked for.
 */
export function changeRecordCount(choose: (size: number, page: Page) => number): Change {
  return wrap('slice', (slice) => (page, service) => {
    const size = requestedSizeInRange(page);
    const chosen = size === undefined ? size : choose(size, page);
    // What is not to be changed is left as another defect may have made it.
    return chosen === undefined || chosen === size
      ? slice(page, service)
      : slice({ ...page, pageSize: Math.max(1, chosen) }, service);
  });
}
