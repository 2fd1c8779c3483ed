import { recordCount } from '../core/number-format.ts';
import type { IdentitySet } from './identity.ts';
import { parametersOf, wholeNumberIn } from './link.ts';
import type { ListAnswer, Page } from './page.ts';

/** The state of a traversal when it decides whether to follow one more link. */
interface TraversalState {
  /** The pages so far; `given`: records up to and including the page. */
  readonly steps: readonly { readonly page: Page; readonly recordsSoFar: number }[];
  /** Linked pages in a row, up to this one, without a new record. */
  readonly stale: number;
  /** Pages in a row, up to this one, after which more records were returned than count says. */
  readonly beyond: number;
}

/** Linked pages in a row without a new record after which a traversal is endless, if there is no count. */
const STALE_PAGES = 2;
/** Linked pages in a row without a new record after which a traversal is endless, while count says that more follow. */
const STALE_PAGES_BELOW_COUNT = 20;
/** Pages beyond count after which a traversal stops. */
const PAGES_BEYOND_COUNT = 64;
/** Factor by which a list may grow during a traversal; real lists grow less. */
const MAX_GROWTH = 2;
/** Pages after which a traversal stops if there is no count. */
const PAGES_WITHOUT_COUNT = 2000;

/**
 * Whether links continue without new records. However a list changes between answers, an answer links to a next page
 * only while count is more than was returned, so one linked page past count without a new record is enough. Below
 * count, a list whose pages are not filled may have empty pages in between, unless their own $skip is past count. Since
 * count may be wrong, this only ends a traversal; a violation needs proof (judge/proofs/broken-links.ts).
 */
export function isEndless({ steps, stale }: TraversalState): boolean {
  const last = steps.at(-1);
  const count = last?.page.count;
  if (last === undefined || stale === 0) return false;
  if (typeof count !== 'number') return stale >= STALE_PAGES;
  if (last.recordsSoFar >= count) return true;
  const isPastCount = (wholeNumberIn(parametersOf(last.page.target), '$skip') ?? -1) >= count;
  return stale >= (isPastCount ? STALE_PAGES : STALE_PAGES_BELOW_COUNT);
}

/**
 * Why links with new records are not followed further; null if they are. The list may be growing, or count may be
 * wrong: no violation, but no reason to continue.
 */
export function overlongReason({ steps, beyond }: TraversalState): string | null {
  const last = steps.at(-1);
  const { count } = last?.page ?? {};
  if (last === undefined) return null;
  if (typeof count !== 'number' || count <= 0) {
    return steps.length < PAGES_WITHOUT_COUNT
      ? null
      : `the links still went on after ${steps.length} pages, and no count says how many there are`;
  }
  if (beyond > PAGES_BEYOND_COUNT)
    return `the links continued for ${PAGES_BEYOND_COUNT} pages after the ${count} records of count`;
  const firstCount = steps[0]?.page.count;
  if (
    typeof firstCount !== 'number' ||
    firstCount <= 0 ||
    last.recordsSoFar > count ||
    last.recordsSoFar <= MAX_GROWTH * firstCount
  )
    return null;
  return steps.length <= PAGES_BEYOND_COUNT
    ? null
    : `count was ${firstCount} at first, and after ${recordCount(last.recordsSoFar)} it is ${count}, and the links continued`;
}

/**
 * How many pages ahead a traversal checks for more records, instead of following every link until it stops; null for no
 * check. It checks once: past count, or, without count, once the list is long.
 */
export function pagesAhead({ steps, beyond }: TraversalState): number | null {
  const { count } = steps.at(-1)?.page ?? {};
  if (typeof count === 'number' && count > 0) return beyond === 1 ? PAGES_BEYOND_COUNT : null;
  return steps.length === PAGES_BEYOND_COUNT ? PAGES_WITHOUT_COUNT : null;
}

/**
 * Whether a page far ahead shows that the links would not have ended before it: it holds new records and a link. The
 * last page again, or the first, shows nothing.
 */
export function showsNoEnd(ahead: ListAnswer, reached: IdentitySet): boolean {
  return (
    ahead.kind === 'page' &&
    typeof ahead.link === 'string' &&
    ahead.link !== '' &&
    reached.countMissing(ahead.identities) > 0
  );
}
