import { type HttpRequest, headerValues } from '../core/exchange.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import type { Target } from '../target/target.ts';
import type { CallLog } from './call-log.ts';
import { type Parameter, parametersOf, valuesOf, wholeNumberIn } from './link.ts';
import { othersIn, type Page } from './page.ts';

/** The counts of a list in the order of the answers. */
interface SeenCounts {
  readonly first: number;
  readonly last: number;
  readonly least: number;
  /** Answers with the first count before another one came. */
  readonly ofFirst: number;
  /** The one before `last` changed to what it is; null if it did not. */
  readonly before: number | null;
  /** When the first answer with `last` ended, in milliseconds since the epoch; -Infinity while count never changed. */
  readonly changedAt: number;
  /** Whether a count came back right after another one. */
  readonly hasReturned: boolean;
}

/** Pages that are kept: more than a run of `certify` requests. */
const MOST_PAGES = 5000;
/** Pairs of pages in another order that are kept. */
const MOST_REORDERED = 50;
/** Refused calls that are kept. */
const MOST_REFUSED = 50;
/** How the specification writes the parameters. */
const USUAL_VALUES: Readonly<Record<string, RegExp>> = {
  $count: /^(?:true|false)$/,
  $pagesize: /^[1-9]\d{0,2}$/,
  $skip: /^\d{1,15}$/,
};

/** @param call when the call with this count was in progress */
function nextCounts(
  seen: SeenCounts | null,
  count: number,
  call: { readonly from: number; readonly to: number },
): SeenCounts {
  const changedAt = Number.NEGATIVE_INFINITY;
  if (seen === null)
    return {
      first: count,
      last: count,
      least: count,
      ofFirst: 1,
      before: null,
      changedAt,
      hasReturned: false,
    };
  if (count === seen.last) return seen.before === null ? { ...seen, ofFirst: seen.ofFirst + 1 } : seen;
  const least = Math.min(seen.least, count);
  // A call that was in progress when count changed may give count as it was before.
  if (call.from <= seen.changedAt) return { ...seen, least };
  const hasReturned = seen.hasReturned || count === seen.before;
  return { ...seen, last: count, least, before: seen.last, changedAt: call.to, hasReturned };
}

/** Whether every count of the run was the same: otherwise a cache may give pages again that are no longer true. */
export function hasOneCount({ counts }: Pick<PageLog, 'counts'>): boolean {
  return counts !== null && counts.before === null;
}

/** The pages of a list that the run has received so far, and what their counts and refused places show. */
export class PageLog {
  readonly #path: string;
  readonly #tenant: string | null;
  readonly #calls: CallLog;
  readonly #pageAt = new Map<string, Page>();
  /**
   * The pages so far that calls in the usual form gave, but for linked ones and those of sequences; the first few
   * thousand. Checks add pages of sequences that are to be judged like them.
   */
  readonly usual: Page[] = [];
  /** Pages so far of calls in the usual form, except that names are written with %24, or for $pagesize; the first few thousand. */
  readonly encoded: Page[] = [];
  /** Pages so far that calls with any other query gave; the first few thousand. */
  readonly others: Page[] = [];
  /** Request targets of refused calls for pages behind the first one, each with its $skip; the first few. */
  readonly refusedPlaces = new Map<string, number>();
  /** Pages that the same request gave with the same count and other records, the earlier one first; the first few. */
  readonly reordered: (readonly [before: Page, after: Page])[] = [];
  /** Whether a repeated request gave, with the same count, another number of records or none of the earlier ones. */
  isRepeatedOtherwise: boolean = false;
  /**
   * The smallest length of the list that a page showed so far: one that is not full and holds as many records as its
   * count says.
   */
  fewest = Number.POSITIVE_INFINITY;
  /** What the counts were so far, those of linked pages and of sequences, too; null if there is none. */
  counts: SeenCounts | null = null;

  /**
   * @param path the path of the list, with the one of baseUrl
   * @param calls the calls that give the pages
   */
  constructor(path: string, { tenant }: Pick<Target, 'tenant'>, calls: CallLog) {
    this.#calls = calls;
    this.#path = path;
    this.#tenant = tenant;
  }

  /**
   * Notes a page of the list.
   *
   * @param request the call that gave it; null if its caller judges the page
   */
  note(page: Page, request: HttpRequest | null): void {
    const { itemCount, count, target } = page;
    const parameters = parametersOf(target);
    const size = wholeNumberIn(parameters, '$pagesize') ?? MAX_PAGE_SIZE;
    if (request !== null && !this.#isSpecified(request, parameters)) {
      // Of any size: the specification leaves sizes above 500 open, but not what such a page holds.
      const usual = { ...request, target: target.replaceAll('%24', '$') };
      const others = parameters.filter(({ name }) => name !== '$pagesize');
      const pages = this.#isSpecified(usual, others) ? this.encoded : this.others;
      if (pages.length < MOST_PAGES && this.#isOfList(request)) pages.push(page);
      return;
    }
    this.#noteOrder(page);
    // The specification does not define count without $count=true, or past the end of the list.
    const isCounted = valuesOf(parameters, '$count')[0] === 'true';
    const isFirst = valuesOf(parameters, '$skip').length === 0;
    if (isCounted && (itemCount > 0 || isFirst)) this.noteCount(page);
    const isWhole = isCounted && itemCount === count && itemCount < Math.min(size, MAX_PAGE_SIZE);
    if (isWhole && isFirst) this.fewest = Math.min(this.fewest, itemCount);
    if (request !== null && this.usual.length < MOST_PAGES) this.usual.push(page);
  }

  /** Notes a count of the whole list; `note` does so for calls in the usual form. */
  noteCount({ count, exchange }: Page): void {
    if (typeof count !== 'number') return;
    const [call] = this.#calls.among([exchange]);
    if (call !== undefined) this.counts = nextCounts(this.counts, count, call);
  }

  /** Notes a refused call if it asks in the usual form, with a count, for a page behind the first one. */
  noteRefusal(request: HttpRequest): void {
    const { target } = request;
    const parameters = parametersOf(target);
    const size = wholeNumberIn(parameters, '$pagesize') ?? 0;
    const skip = wholeNumberIn(parameters, '$skip') ?? 0;
    const isPlace = valuesOf(parameters, '$count')[0] === 'true' && skip > 0 && size > 0 && skip % size === 0;
    if (isPlace && this.#isSpecified(request, parameters) && this.refusedPlaces.size < MOST_REFUSED)
      this.refusedPlaces.set(target, skip);
  }

  #noteOrder(page: Page): void {
    const before = this.#pageAt.get(page.target);
    if (before === undefined) {
      if (this.#pageAt.size < MOST_PAGES) this.#pageAt.set(page.target, page);
    } else if (typeof page.count === 'number' && before.count === page.count) {
      const others = othersIn(page, before);
      if (others > 0 && this.reordered.length < MOST_REORDERED) this.reordered.push([before, page]);
      if (page.itemCount !== before.itemCount || (others > 0 && others === page.itemCount))
        this.isRepeatedOtherwise = true;
    }
  }

  /** The first page of each request so far, linked ones included; the first few thousand. */
  get firstPages(): Iterable<Page> {
    return this.#pageAt.values();
  }

  holds(identity: bigint): boolean {
    const pages = [this.#pageAt.values(), this.usual, this.encoded, this.others];
    return pages.some((some) => [...some].some(({ identities }) => identities.includes(identity)));
  }

  /** Whether a call has the tenant of the target: another one may have another list. */
  #isOfTenant({ headers }: HttpRequest): boolean {
    const tenants = headerValues(headers, 'tenant');
    return this.#tenant === null || (tenants.length === 1 && tenants[0] === this.#tenant);
  }

  /** Whether a call is for this list, with the headers that the specification shows. */
  #isOfList({ method, headers, target }: HttpRequest): boolean {
    const names = headers.map(([name]) => name.toLowerCase());
    const needed = this.#tenant === null ? ['accept'] : ['accept', 'tenant'];
    return (
      method === 'GET' &&
      target.split('?', 1)[0] === this.#path &&
      needed.every((name) => names.includes(name)) &&
      headers.some(([name, value]) => name === 'Authorization' && value.startsWith('Bearer '))
    );
  }

  /** Whether such a call has no parameters but those in their usual spelling. */
  #isSpecified(request: HttpRequest, parameters: readonly Parameter[]): boolean {
    return (
      this.#isOfList(request) &&
      this.#isOfTenant(request) &&
      !request.target.includes('%') &&
      new Set(parameters.map(({ name }) => name)).size === parameters.length &&
      parameters.every(({ name, value }) => USUAL_VALUES[name]?.test(value) === true)
    );
  }
}
