import { Buffer } from 'node:buffer';
import { LIMITS_WITHOUT_KEY } from '../core/cause.ts';
import { bufferOf, type Exchange } from '../core/exchange.ts';
import { Memo } from '../core/memo.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import { isEndless, overlongReason, pagesAhead, showsNoEnd } from './endless-links.ts';
import { IdentitySet } from './identity.ts';
import { canonicalQuery, type ListAddress, readLink, type UsableLink, wholeNumberIn } from './link.ts';
import type { ListAnswer, NoPage, Page } from './page.ts';
import { kindOf } from './schemas.ts';

/** One page of a traversal with what the traversal knows at that point. */
export interface Step {
  readonly page: Page;
  /** Position in the traversal, from 1. */
  readonly number: number;
  /** Page size in force for this page: the requested one, or that of the link; 500 if there is none. */
  readonly sizeInForce: number;
  /** Records given up to and including this page. */
  readonly recordsSoFar: number;
  /** Records of this page that no earlier page of the traversal gave. */
  readonly fresh: number;
  /** Its nextPageLink; null if there is none, or none that can be followed. */
  readonly link: UsableLink | null;
}

type TraversalEnd =
  | { readonly kind: 'end' } // a page without a link
  | { readonly kind: 'paused' } // the requested number of pages
  | { readonly kind: 'limit'; readonly limit: string; readonly why: string }
  | { readonly kind: 'unusable'; readonly why: string } // a link that cannot be followed
  | { readonly kind: 'circle'; readonly backTo: number } // a link to a page already visited
  | { readonly kind: 'runaway'; readonly pages: number } // links continue without new records
  | { readonly kind: 'broken'; readonly answer: NoPage }; // a link whose answer is not a list

/** A list read by its links (4.3.2, 4.3.3). */
export interface Traversal {
  /** Page size of the first request; null if it was left out. */
  readonly pageSize: number | null;
  readonly steps: readonly Step[];
  readonly end: TraversalEnd;
  readonly reached: IdentitySet;
  /** Whether every record had an identifier. */
  readonly isIdentified: boolean;
  /** Values that are computed once for this traversal. */
  readonly memo: Memo;
}

interface TraversalOptions {
  readonly at: (target: string, context: PageContext) => Promise<ListAnswer>;
  /** The request target of a page by its parameters. */
  readonly targetOf: (pageSize: number, skip: number) => string;
  readonly address: ListAddress;
  readonly start: string;
  readonly pageSize: number | null;
  /** Pages after which it pauses, if fewer than `maxPages`. */
  readonly mostPages: number;
  /** limits.maxPages. */
  readonly maxPages: number;
}

/** Follows links from a first request until the links end or stop making sense. Throws as `at` does. */
export function traverse(options: TraversalOptions): Promise<Traversal> {
  return new TraversalReader(options).read();
}

/** Reads one traversal, page by page. */
class TraversalReader {
  readonly #options: TraversalOptions;
  readonly #steps: Step[] = [];
  readonly #state = { steps: this.#steps, stale: 0, beyond: 0 };
  /** The number of each page, by its request. */
  readonly #visited = new Map<string, number>();
  #reached = new IdentitySet();
  #isIdentified = true;
  #recordsSoFar = 0;
  /** The count of the last page; 0 without one. */
  #count = 0;
  /** The next request, in the form in which requests are compared as well. */
  #target: string;
  #request: string;
  #sizeInForce: number;
  /** Whether an answer has arrived that is not read yet. */
  #isUnread: boolean = false;
  #hasLookedAhead: boolean = false;

  constructor(options: TraversalOptions) {
    this.#options = options;
    this.#target = options.start;
    this.#request = canonicalQuery(options.start);
    this.#sizeInForce = options.pageSize ?? MAX_PAGE_SIZE;
  }

  async read(): Promise<Traversal> {
    let end: TraversalEnd | null = null;
    while (end === null) end = await this.#readPage();
    return {
      pageSize: this.#options.pageSize,
      steps: this.#steps,
      end,
      reached: this.#reached,
      isIdentified: this.#isIdentified,
      memo: new Memo(),
    };
  }

  /** Reads the next page; returns why the traversal ends with it, or null if its link is followed. */
  async #readPage(): Promise<TraversalEnd | null> {
    const after = this.#steps.at(-1)?.page.exchange;
    const prefetch = this.#prefetch;
    const context = after === undefined ? { prefetch } : { prefetch, after };
    const answer = await this.#options.at(this.#target, context);
    this.#isUnread = false;
    if (answer.kind !== 'page') return { kind: 'broken', answer };
    const fresh = this.#addRecords(answer);
    const { link } = answer;
    const read = typeof link === 'string' && link !== '' ? readLink(link, this.#options.address) : null;
    const usable = read !== null && read.kind !== 'unusable' ? read : null;
    const number = this.#steps.length + 1;
    this.#steps.push({
      page: answer,
      number,
      sizeInForce: this.#sizeInForce,
      recordsSoFar: this.#recordsSoFar,
      fresh,
      link: usable,
    });
    if (link === undefined || link === '') return { kind: 'end' };
    if (read === null) return { kind: 'unusable', why: `it is ${kindOf(link)} instead of a string` };
    if (read.kind === 'unusable') {
      if (read.limit === undefined) return { kind: 'unusable', why: read.why };
      return {
        kind: 'limit',
        limit: read.limit,
        why: `the link of page ${number} was not followed: ${read.why}`,
      };
    }
    return this.#endAt(read) ?? (await this.#follow(read));
  }

  /** Adds the records of a page; returns how many of them are new. */
  #addRecords(page: Page): number {
    const isFirst = this.#steps.length === 0;
    this.#visited.set(this.#request, this.#steps.length + 1);
    if (isFirst) this.#reached = new IdentitySet(expectedRecords(page, this.#options.mostPages));
    const fresh = this.#reached.addAll(page.identities);
    this.#recordsSoFar += page.itemCount;
    this.#isIdentified &&= !page.identities.includes(0n);
    this.#count = typeof page.count === 'number' ? page.count : 0;
    const { stale, beyond } = this.#state;
    this.#state.stale = fresh > 0 || isFirst ? 0 : stale + 1;
    this.#state.beyond = this.#recordsSoFar > this.#count ? beyond + 1 : 0;
    return fresh;
  }

  /** Why this link of the last page is not followed; null if it is. */
  #endAt(link: UsableLink): TraversalEnd | null {
    const { mostPages, maxPages } = this.#options;
    this.#request = canonicalQuery(link.target);
    const backTo = this.#visited.get(this.#request);
    if (backTo !== undefined) return { kind: 'circle', backTo };
    if (isEndless(this.#state)) return { kind: 'runaway', pages: this.#state.stale };
    const overlong = overlongReason(this.#state);
    if (overlong !== null)
      return { kind: 'limit', limit: LIMITS_WITHOUT_KEY.pagesBeyondCount, why: overlong };
    if (this.#steps.length < mostPages) return null;
    if (mostPages < maxPages) return { kind: 'paused' };
    const why = `limits.maxPages allows ${mostPages} pages, and the links continued`;
    return { kind: 'limit', limit: 'maxPages', why };
  }

  /** Makes this link the next request. Looks once at a page far behind it, which may show that the links have no end. */
  async #follow(link: UsableLink): Promise<TraversalEnd | null> {
    const { at, targetOf, mostPages } = this.#options;
    this.#sizeInForce = sizeOf(link);
    this.#target = link.target;
    const ahead = this.#hasLookedAhead ? null : pagesAhead(this.#state);
    if (ahead === null || this.#steps.length + ahead > mostPages) return null;
    this.#hasLookedAhead = true;
    const size = this.#sizeInForce;
    // A call without an answer does not concern the traversal.
    const far = await at(targetOf(size, this.#recordsSoFar + ahead * size), {}).catch(() => null);
    if (far === null || !showsNoEnd(far, this.#reached)) return null;
    const known = this.#count > 0 ? `after the ${this.#count} records of count` : 'with no count';
    const why = `the links continued ${known}, and there are more ${ahead} pages further`;
    return { kind: 'limit', limit: LIMITS_WITHOUT_KEY.pagesBeyondCount, why };
  }

  // The next page is requested before this one is read, while more records are expected. A traversal that goes
  // wrong costs at most one further request.
  readonly #prefetch: Prefetch = (exchange) => {
    const { at, address, mostPages } = this.#options;
    const isExpected =
      !this.#isUnread &&
      this.#state.stale === 0 &&
      this.#recordsSoFar + this.#sizeInForce < this.#count &&
      this.#steps.length + 1 < mostPages;
    this.#isUnread = true;
    const likely = isExpected && exchange.answer !== null ? earlyLink(exchange.answer.body) : null;
    const link = likely === null ? null : readLink(likely, address);
    if (link?.kind !== 'relative' || this.#visited.has(canonicalQuery(link.target))) return;
    at(link.target, { prefetch: this.#prefetch, after: exchange.number }).catch(() => undefined);
  };
}

// How many records a traversal of that many pages is expected to give, by its first page.
function expectedRecords({ count, itemCount, link }: Page, mostPages: number): number {
  return link === undefined || typeof count !== 'number' ? itemCount : Math.min(count, mostPages * itemCount);
}

function sizeOf(link: UsableLink): number {
  const size = wholeNumberIn(link.parameters, '$pagesize') ?? MAX_PAGE_SIZE;
  return size >= 1 && size <= MAX_PAGE_SIZE ? size : MAX_PAGE_SIZE;
}

/** Receives an answer of status 200 before it is read, and may request the next page. */
export type Prefetch = (exchange: Exchange) => void;

export interface PageContext {
  readonly prefetch?: Prefetch;
  /** Number of the exchange whose answer holds the link. */
  readonly after?: number | undefined;
  /** Whether the caller judges the page; by default if it follows a link. */
  readonly isJudged?: boolean;
}

const NAME = Buffer.from('"nextPageLink"');
/** The end of the name. A search that begins with the rare letter x is faster than one for a quote. */
const ENDING = NAME.subarray(3);
/** Bytes after the name within which the link has to end. */
const REACH = 2_048;

/**
 * The nextPageLink of a body that is not parsed yet, if the name occurs once and the link has no escapes; null
 * otherwise. Only for requesting the next page early: the parsed body decides what the link is.
 */
export function earlyLink(body: Uint8Array): string | null {
  const bytes = bufferOf(body);
  const at = bytes.lastIndexOf(NAME);
  if (at < 0 || bytes.indexOf(ENDING) !== at + 3) return null;
  const after = bytes.toString('latin1', at + NAME.length, at + NAME.length + REACH);
  return /^\s*:\s*"([!#-[\]-~]+)"/.exec(after)?.[1] ?? null;
}
