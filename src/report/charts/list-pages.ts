import { groupBy } from '../../core/grouping.ts';
import type { ExchangeView, PageDetails } from '../report-data.ts';

/** A list answer with its exchange. */
export interface ListedPage {
  readonly view: ExchangeView;
  readonly page: PageDetails;
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

/**
 * The traversals among the list answers: each begins with a first page with `$count=true`, and goes on with the
 * answer to each page's link. Pages requested by parameters belong to none. A traversal ends with the
 * first page that repeats a request.
 *
 * @param pages in the order of their requests
 * @param maxPages most pages of a traversal
 */
export function followedLinks(
  pages: readonly ListedPage[],
  maxPages: number,
): readonly (readonly ListedPage[])[] {
  const byQuery = groupBy(pages, ({ page }) => page.query);
  return firstPagesOf(pages)
    .map((first) => stepsFrom(first, byQuery, maxPages))
    .filter((steps) => steps.length > 1);
}

/** The pages requested without an offset, unless an earlier page links to them. */
function firstPagesOf(pages: readonly ListedPage[]): readonly ListedPage[] {
  const linked = new Set<string>();
  return pages.filter(({ page }) => {
    const isFirst = page.counted && page.skip === 0 && (page.requestedSize ?? MAXIMUM) > 0;
    const isLinked = linked.has(page.query);
    if (page.linkedQuery !== null) linked.add(page.linkedQuery);
    return isFirst && !isLinked;
  });
}

function stepsFrom(
  first: ListedPage,
  byQuery: ReadonlyMap<string, readonly ListedPage[]>,
  maxPages: number,
): readonly ListedPage[] {
  const steps = [first];
  const requested = new Set([first.page.query]);
  let last = first;
  while (steps.length < maxPages && last.page.linkedQuery !== null) {
    const { number } = last.view;
    const next = byQuery.get(last.page.linkedQuery)?.find(({ view }) => view.number > number);
    if (next === undefined) break;
    steps.push(next);
    if (requested.has(next.page.query)) break;
    requested.add(next.page.query);
    last = next;
  }
  return steps;
}
