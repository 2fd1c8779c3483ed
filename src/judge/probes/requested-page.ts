import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import type { Json } from '../../core/results.ts';
import { offsetIn, parametersOf, valuesOf, wholeNumber, wholeNumberIn } from '../../provider/link.ts';
import { countText, type ListAnswer, type Page } from '../../provider/page.ts';
import { kindOf } from '../../provider/schemas.ts';
import type { Snapshot } from '../../provider/snapshot.ts';

export interface RequestedPage {
  readonly page: Page;
  /** Whether $count is true; null if it is given twice, or as another word. */
  readonly isCounted: boolean | null;
  /** $pagesize as the query spells it; null if it is left out. */
  readonly pageSize: string | null;
  /** The page size from 1 to 500 that was asked for, 500 without $pagesize; null for any other size. */
  readonly size: number | null;
  /** Records before the page: those of its traversal so far, or the $skip of its request. */
  readonly skip: number;
  /** Its position in a traversal, which may be one of a single page; null for a page that was requested on its own. */
  readonly position: TraversalPosition | null;
}

export interface TraversalPosition {
  /** $pagesize of the first request of the traversal; null if it is left out. */
  readonly pageSize: number | null;
  /** Number of the page, from 1. */
  readonly number: number;
  /** Whether this page and all before it hold as many records as the page size in force. */
  readonly areAllFilled: boolean;
}

/**
 * What the request of a page asks for, in any spelling; null if there is no page, or if its $skip is not one whole number.
 *
 * @param options.hasAnySkip whether such a $skip counts as none
 */
export function requestedPageOf(page: ListAnswer, { hasAnySkip = false } = {}): RequestedPage | null {
  if (page.kind !== 'page') return null;
  const parameters = parametersOf(page.target);
  const [counts, sizes] = [valuesOf(parameters, '$count'), valuesOf(parameters, '$pagesize')];
  const given = offsetIn(parameters);
  const isOdd = given === null || given < 0;
  if (isOdd && !hasAnySkip) return null;
  const skip = isOdd ? 0 : given;
  const word = counts.length === 1 ? counts[0]?.toLowerCase() : null;
  const size = sizes.length === 0 ? MAX_PAGE_SIZE : (wholeNumber(sizes.join()) ?? 0);
  return {
    page,
    isCounted: counts.length === 0 || word === 'false' ? false : word === 'true' ? true : null,
    pageSize: sizes.length === 0 ? null : sizes.join(),
    size: size >= 1 && size <= MAX_PAGE_SIZE ? size : null,
    skip,
    position: null,
  };
}

/**
 * Whether a page was requested with a $pagesize that is no whole number of 1 or more, or with several. The specification says
 * nothing of what such a request means (8); a larger one than the maximum still asks for a page of the list.
 */
export function hasMeaninglessSize({ pageSize, size }: RequestedPage): boolean {
  return size === null && !/^0*[1-9]\d*$/.test(pageSize ?? '');
}

/**
 * Whether a page is empty and was requested by a $skip, not by a link. Past the end of the list, the specification does not
 * show what count is.
 */
export function mayBePastTheEnd({ page, skip, position }: RequestedPage): boolean {
  return page.itemCount === 0 && skip > 0 && position === null;
}

/**
 * The count of a page that was requested with $count=true; otherwise undefined, because the specification does not
 * define it.
 */
export function requestedCount(page: Page): Page['count'] {
  const requested = requestedPageOf(page);
  return requested?.isCounted === true && !mayBePastTheEnd(requested) ? page.count : undefined;
}

/** What is wrong with a page's count, as the end of a sentence; null if it is an integer of 0 or more. */
export function countFault(page: Page): string | null {
  if (page.count === undefined) return 'is missing or null';
  if (page.exactCount?.integer === false) return 'is a number instead of an integer';
  if (typeof page.count !== 'number' || !Number.isInteger(page.count))
    return `is ${kindOf(page.count)} instead of an integer`;
  return page.count < 0 ? `is ${page.count}, less than 0` : null;
}

/** The digits of a page's count, cut after 60. */
export function printCount(page: Page): string {
  const text = countText(page) ?? '';
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} digits)` : text;
}

/** The count of a page as data: a number, or its digits if JavaScript numbers cannot represent it. */
export function reportedCount(page: Page): Json {
  return exceedsNumbers(page) ? printCount(page) : (page.count ?? null);
}

/** Whether JavaScript numbers cannot represent the count of a page. */
export function exceedsNumbers({ count, exactCount }: Page): boolean {
  return exactCount !== null && exactCount.text !== String(count);
}

/** The smallest description of a page for a violation: its place in a traversal, or its request. */
export function counterexampleOf({ page, position }: RequestedPage): { readonly [name: string]: Json } {
  return position === null
    ? { request: page.target }
    : { pageSize: position.pageSize, page: position.number };
}

/**
 * The page size in force: the one that was asked for, or, for a size beyond 1 to 500, the one that the page's own
 * link says was applied. Null if that is not known: the specification leaves such sizes open.
 */
export function sizeInForce({ page, size }: RequestedPage): number | null {
  if (size !== null) return size;
  const applied = sizeOfLink(page);
  return applied === null ? null : Math.min(MAX_PAGE_SIZE, applied);
}

/** The page size that the link of a page gives; null for none, or for one below 1. */
function sizeOfLink({ link }: Page): number | null {
  const size = typeof link === 'string' ? wholeNumberIn(parametersOf(link), '$pagesize') : null;
  return size !== null && size >= 1 ? size : null;
}

/**
 * The page size in force, if need be from the link of the same request with $count=true. That request is only read if
 * the run sends it anyway. Null if the link repeats a size above the maximum: then nothing says which one was applied.
 */
export async function appliedPageSize(requested: RequestedPage, snapshot: Snapshot): Promise<number | null> {
  const own = statedSize(requested);
  if (own !== null) return own;
  const { path, pages } = snapshot.client;
  const { pageSize, skip } = requested;
  const target = `${path}?$count=true&$pagesize=${pageSize}${skip > 0 ? `&$skip=${skip}` : ''}`;
  if (![...pages.usual, ...pages.others].some((page) => page.target === target)) return null;
  const counted = requestedPageOf(await snapshot.at(target));
  return counted === null ? null : statedSize(counted);
}

function statedSize({ page, size }: RequestedPage): number | null {
  const stated = size ?? sizeOfLink(page);
  return stated !== null && stated <= MAX_PAGE_SIZE ? stated : null;
}
