import { Buffer } from 'node:buffer';
import type { Exchange } from '../core/exchange.ts';
import { Memo } from '../core/memo.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import { isEndless, overlongReason, pagesAhead, showsNoEnd, type TraversalState } from './endless-links.ts';
import { IdentitySet } from './identity-set.ts';
import { canonicalQuery, type ListPlace, readLink, type UsableLink, wholeNumberIn } from './link.ts';
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
  readonly given: number;
  /** Records of this page that no earlier page of the traversal gave. */
  readonly fresh: number;
  /** Its nextPageLink; null if there is none, or none that can be followed. */
  readonly link: UsableLink | null;
}

/** How a traversal ended. */
type TraversalEnd =
  | { readonly kind: 'end' } // a page without a link
  | { readonly kind: 'paused' } // the requested number of pages
  | { readonly kind: 'limit'; readonly limit: string; readonly why: string }
  | { readonly kind: 'unusable'; readonly why: string } // a link that cannot be followed
  | { readonly kind: 'circle'; readonly backTo: number } // a link to a page already visited
  | { readonly kind: 'runaway'; readonly pages: number } // links continue without new records
  | { readonly kind: 'broken'; readonly answer: NoPage }; // a link whose answer is no list

/** A list read by its links (4.3.2, 4.3.3). */
export interface Traversal {
  /** Page size of the first request; null if it was left out. */
  readonly pageSize: number | null;
  readonly steps: readonly Step[];
  readonly end: TraversalEnd;
  /** Distinct records reached. */
  readonly reached: IdentitySet;
  /** Whether every record had an identifier. */
  readonly identified: boolean;
  /** Values that are computed once for this traversal. */
  readonly memo: Memo;
}

/**
 * The number of records in the list as a traversal shows it. Null if it is unknown: the end was not reached, records
 * have no identifiers, or the last page is full and its count says that more records follow.
 */
export function lengthShownBy({ end, identified, reached, steps }: Traversal): number | null {
  const last = steps.at(-1);
  if (end.kind !== 'end' || !identified || last === undefined) return null;
  const { count, itemCount } = last.page;
  const isDoubtful = typeof count === 'number' && count > last.given && itemCount >= last.sizeInForce;
  return isDoubtful ? null : reached.size;
}

/** The bound on pages beyond the records of count; not a key of the target file. */
const PAGES_BEYOND = 'pages beyond count';

/** Where a traversal gets its pages from; throws as ListClient.authorized does. */
interface PageSource {
  at(target: string, following?: PageContext): Promise<ListAnswer>;
  /** The request target of a page by its parameters. */
  targetOf(pageSize: number, skip: number): string;
  readonly place: ListPlace;
  /** limits.maxPages. */
  readonly maxPages: number;
}

/** Follows links from a first request until the links end or stop making sense. Throws as Snapshot.at does. */
export async function traverse(options: {
  readonly source: PageSource;
  readonly start: string;
  readonly pageSize: number | null;
  readonly mostPages: number;
}): Promise<Traversal> {
  const { source, pageSize, mostPages } = options;
  const steps: Step[] = [];
  let reached = new IdentitySet();
  const visited = new Map<string, number>();
  const finish = (end: TraversalEnd): Traversal => ({
    pageSize,
    steps,
    end,
    reached,
    identified,
    memo: new Memo(),
  });
  const finishAtLimit = (limit: string, why: string): Traversal => finish({ kind: 'limit', limit, why });
  let target = options.start;
  let sizeInForce = pageSize ?? MAX_PAGE_SIZE;
  let given = 0;
  let stale = 0;
  let beyond = 0;
  let identified = true;
  let count = 0;
  let unread = false;
  let lookedAhead = false;
  // The request of the link that is followed was computed when it was compared with visited ones.
  let request = canonicalQuery(target);
  // The next page is requested before this one is read, while more records are expected. A traversal that goes
  // wrong costs at most one further request.
  const prefetch: Prefetch = (exchange) => {
    const early = !unread && stale === 0 && given + sizeInForce < count && steps.length + 1 < mostPages;
    unread = true;
    const likely = early && exchange.answer !== null ? earlyLink(exchange.answer.body) : null;
    const link = likely === null ? null : readLink(likely, source.place);
    if (link?.kind !== 'relative' || visited.has(canonicalQuery(link.target))) return false;
    source.at(link.target, { prefetch, after: exchange.number }).catch(() => undefined);
    return true;
  };
  for (;;) {
    const after = steps.at(-1)?.page.exchange;
    const answer = await source.at(target, after === undefined ? { prefetch } : { prefetch, after });
    unread = false;
    if (answer.kind !== 'page') return finish({ kind: 'broken', answer });
    visited.set(request, steps.length + 1);
    if (steps.length === 0) reached = new IdentitySet(expectedRecords(answer, mostPages));
    const fresh = reached.addAll(answer.identities);
    given += answer.itemCount;
    identified &&= !answer.identities.includes(0n);
    const link =
      typeof answer.link === 'string' && answer.link !== '' ? readLink(answer.link, source.place) : null;
    const usable = link !== null && link.kind !== 'unusable' ? link : null;
    steps.push({ page: answer, number: steps.length + 1, sizeInForce, given, fresh, link: usable });
    if (answer.link === undefined || answer.link === '') return finish({ kind: 'end' });
    if (link === null)
      return finish({ kind: 'unusable', why: `it is ${kindOf(answer.link)} instead of a string` });
    if (link.kind === 'unusable') {
      if (link.limit === undefined) return finish({ kind: 'unusable', why: link.why });
      return finishAtLimit(link.limit, `the link of page ${steps.length} was not followed: ${link.why}`);
    }
    request = canonicalQuery(link.target);
    const back = visited.get(request);
    if (back !== undefined) return finish({ kind: 'circle', backTo: back });
    count = typeof answer.count === 'number' ? answer.count : 0;
    stale = fresh > 0 || steps.length === 1 ? 0 : stale + 1;
    beyond = given > count ? beyond + 1 : 0;
    const standing: TraversalState = { steps, stale, beyond };
    if (isEndless(standing)) return finish({ kind: 'runaway', pages: stale });
    const overlong = overlongReason(standing);
    if (overlong !== null) return finishAtLimit(PAGES_BEYOND, overlong);
    if (steps.length >= mostPages && mostPages < source.maxPages) return finish({ kind: 'paused' });
    if (steps.length >= mostPages)
      return finishAtLimit('maxPages', `limits.maxPages allows ${mostPages} pages, and the links continued`);
    sizeInForce = sizeOf(link);
    target = link.target;
    const ahead = lookedAhead ? null : pagesAhead(standing);
    if (ahead === null || steps.length + ahead > mostPages) continue;
    lookedAhead = true;
    // A call without an answer does not concern the traversal.
    const far = await source.at(source.targetOf(sizeInForce, given + ahead * sizeInForce)).catch(() => null);
    if (far === null || !showsNoEnd(far, reached)) continue;
    const known = count > 0 ? `after the ${count} records of count` : 'with no count';
    return finishAtLimit(
      PAGES_BEYOND,
      `the links continued ${known}, and there are more ${ahead} pages further`,
    );
  }
}

// How many records a traversal of that many pages is expected to give, by its first page.
function expectedRecords({ count, itemCount, link }: Page, mostPages: number): number {
  return link === undefined || typeof count !== 'number' ? itemCount : Math.min(count, mostPages * itemCount);
}

function sizeOf(link: UsableLink): number {
  const size = wholeNumberIn(link.parameters, '$pagesize') ?? MAX_PAGE_SIZE;
  return size >= 1 && size <= MAX_PAGE_SIZE ? size : MAX_PAGE_SIZE;
}

/** Receives an answer of status 200 before it is read; returns whether it began another request. */
export type Prefetch = (exchange: Exchange) => boolean;

/** The context of a page request in a traversal. */
export interface PageContext {
  readonly prefetch?: Prefetch;
  /** Number of the exchange whose answer holds the link. */
  readonly after?: number;
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
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const at = bytes.lastIndexOf(NAME);
  if (at < 0 || bytes.indexOf(ENDING) !== at + 3) return null;
  const after = bytes.toString('latin1', at + NAME.length, at + NAME.length + REACH);
  return /^\s*:\s*"([!#-[\]-~]+)"/.exec(after)?.[1] ?? null;
}
