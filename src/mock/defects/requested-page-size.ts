import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Change, type Page, valuesOf, wrap } from '../pipeline.ts';

/** The requested page size as text; undefined if none was requested. */
export function requestedSize(page: Page): string | undefined {
  return valuesOf(page, '$pagesize')[0];
}

/** The requested page size if it is a whole number from 1 to 500, or undefined. */
export function requestedSizeInRange(page: Page): number | undefined {
  const size = Number(requestedSize(page) ?? Number.NaN);
  return Number.isInteger(size) && size >= 1 && size <= MAX_PAGE_SIZE ? size : undefined;
}

/** Replaces the page size if `choose` returns a number. */
export function changePageSize(choose: (page: Page) => number | undefined): Change {
  return wrap('pageSize', (inner) => (page, service) => choose(page) ?? inner(page, service));
}

/** Replaces the number of records on the page. The page size in links stays as requested. */
export function changeRecordCount(choose: (size: number, page: Page) => number): Change {
  return wrap('slice', (slice) => (page, service) => {
    const size = requestedSizeInRange(page);
    const chosen = size === undefined ? size : choose(size, page);
    // An unchanged size must not undo what another defect did.
    return chosen === undefined || chosen === size
      ? slice(page, service)
      : slice({ ...page, pageSize: Math.max(1, chosen) }, service);
  });
}
