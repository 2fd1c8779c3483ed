import type { Json } from '../core/results.ts';
import { sameIdentities } from '../provider/identity.ts';
import { offsetIn, parametersOf, valuesOf, wholeNumberIn } from '../provider/link.ts';
import type { Page } from '../provider/page.ts';

/** The part of the list that a page was requested for: the records before it, and the page size in force. */
export interface PageRange {
  readonly skip: number;
  readonly size: number;
}

/** The place for which a page is the right answer. */
export interface GivenPlace {
  readonly skip: number;
  /** A page that gives some of its records at their place. */
  readonly by: Page;
}

/** Records of a page at the same place as those of another page that are enough to recognise it. */
const MIN_SHARED = 2;

/**
 * The place for which a page would be the right answer, if its $skip is not the $skip of its request; null unless other pages
 * prove it. The page itself says where it ends, by its link or, as the last one, by its count. It must be full, or the last
 * one, and hold the records that another page gives there. No other page gives any of its records at its own place; if it
 * seems to begin too late, another page gives its own first record: otherwise offsets may only count from another number than 0.
 * Neither changed data nor a wrong link explains that.
 *
 * @param others pages that show the place of records; the ones that contradict their request are left out
 */
export function givenPlace(page: Page, { skip, size }: PageRange, others: Iterable<Page>): GivenPlace | null {
  const end = endOf(page);
  const { itemCount, identities, count } = page;
  if (end === null || itemCount === 0 || identities.length !== itemCount || identities.includes(0n))
    return null;
  const given = end - itemCount;
  if (given < 0 || given === skip || (itemCount !== size && isLinked(page))) return null;
  // What such a request gives is not shown.
  if (typeof count !== 'number' || skip >= count) return null;
  // A last page that begins too early is the end of its own place, too: it gives records twice.
  if (!isLinked(page) && skip + size >= count) return null;
  let by: Page | null = null;
  let hasFirst = given < skip;
  for (const other of others) {
    if (other.exchange === page.exchange) continue;
    const from = knownPlaceOf(other);
    if (from === null || other.itemCount === 0) continue;
    if (sharesRecords(page, skip, other, from)) return null;
    if (sharesRecords(page, given, other, from, Math.min(MIN_SHARED, itemCount))) by ??= other;
    hasFirst ||= from <= skip && skip < from + other.itemCount;
  }
  return by === null || !hasFirst ? null : { skip: given, by };
}

/** Records up to and including a page, as the page says itself; null if it does not. */
function endOf(page: Page): number | null {
  if (!isLinked(page)) return typeof page.count === 'number' ? page.count : null;
  return typeof page.link === 'string' ? wholeNumberIn(parametersOf(page.link), '$skip') : null;
}

/** Whether a page gives a link, of any kind; an empty one is none. */
export function isLinked(page: Page): page is Page & { readonly link: Json } {
  return page.link !== undefined && page.link !== '';
}

/** Places of pages, each read once. */
const PLACES = new WeakMap<Page, { readonly place: number | null }>();

function knownPlaceOf(page: Page): number | null {
  const known = PLACES.get(page) ?? { place: placeOf(page) };
  PLACES.set(page, known);
  return known.place;
}

/** The $skip of a counted page whose link or count agrees with it; null for any other page. */
function placeOf(page: Page): number | null {
  const parameters = parametersOf(page.target);
  if (valuesOf(parameters, '$count').join() !== 'true' || page.identities.length !== page.itemCount)
    return null;
  const skip = offsetIn(parameters);
  return skip !== null && skip + page.itemCount === endOf(page) ? skip : null;
}

/** Whether two pages, from these places on, give the same records where they overlap, and overlap by at least so many. */
function sharesRecords(
  { identities }: Page,
  place: number,
  { identities: others }: Page,
  otherPlace: number,
  least = 1,
): boolean {
  const from = Math.max(place, otherPlace);
  const to = Math.min(place + identities.length, otherPlace + others.length);
  if (to - from < least) return false;
  const one = identities.subarray(from - place, to - place);
  return sameIdentities(one, others.subarray(from - otherPlace, to - otherPlace));
}
