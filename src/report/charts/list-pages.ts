import { groupBy } from '../../core/group-by.ts';
import type { ExchangeView, PageFacts } from '../report-data.ts';

/** A list answer with its exchange. */
export interface ListedPage {
  readonly view: ExchangeView;
  readonly page: PageFacts;
}

/** The largest page that the specification allows, and the default without $pagesize (clauses 4.2 and 8). */
export const MAXIMUM = 500;

/** The list answers of a target, list by list, in the order of their first request. */
export function listsOf(views: readonly ExchangeView[]): ReadonlyMap<string, readonly ListedPage[]> {
  const pages = views.flatMap((view) => (view.page === null ? [] : [{ view, page: view.page }]));
  return groupBy(pages, ({ page }) => page.path);
}

/** Whether any page gives a count; without one the number of records is unknown. */
export function isCounted(pages: readonly ListedPage[]): boolean {
  return pages.some(({ page }) => page.count !== null);
}

/**
 * The number of records in a list: the most frequent count, or the last position seen if there is no count.
 */
export function sizeOf(pages: readonly ListedPage[]): number {
  const counts = new Map<number, number>();
  for (const { page } of pages)
    if (page.count !== null) counts.set(page.count, (counts.get(page.count) ?? 0) + 1);
  const agreed = [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
  return agreed ?? Math.max(0, ...pages.map(({ page }) => page.skip + page.items));
}
