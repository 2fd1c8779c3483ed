import type { IdentitySet } from './identity-set.ts';
import { readQuery } from './link.ts';
import type { ListAnswer } from './page.ts';
import type { Step } from './traversal.ts';

/** What a traversal knows when it is to decide whether to follow one more link. */
export interface Standing {
  readonly steps: readonly Step[];
  /** Linked pages in a row, up to this one, that gave nothing new. */
  readonly stale: number;
  /** Pages in a row, up to this one, after which more was given than count tells. */
  readonly beyond: number;
}

/** Linked pages in a row that give nothing new before a traversal is called endless, where no count says what is to come. */
const STALE_PAGES = 2;
/** The same while the count says that records are still to come. */
const STALE_PAGES_BELOW_COUNT = 20;
/** Pages beyond the count after which a traversal stops waiting for its end. */
const PAGES_BEYOND_COUNT = 64;
/** How many times as long as its first page told a list may become while it is traversed; a living one grows less. */
const MOST_GROWTH = 2;
/** Pages after which a traversal stops waiting for an end that no count foretells. */
const PAGES_WITHOUT_COUNT = 2000;

/**
 * Whether links go on and records do not. An answer that is made of one state of the list links on only while count is
 * more than was given, however the list changes between answers: so one linked page past the count that gives nothing
 * new is enough. Below the count a list whose pages are not filled may have empty ones in between; where the pages
 * stand past the count by their own $skip, nothing can come any more. Since a count may be wrong, this ends a traversal and
 * accuses nobody: who does asks for proof (judge/links-on.ts).
 */
export function isRunaway({ steps, stale }: Standing): boolean {
  const last = steps.at(-1);
  const count = last?.page.count;
  if (last === undefined || stale === 0) return false;
  if (typeof count !== 'number') return stale >= STALE_PAGES;
  if (last.given >= count) return true;
  return stale >= (skipOf(last.page.target) >= count ? STALE_PAGES : STALE_PAGES_BELOW_COUNT);
}

/**
 * Why new records and links without end are followed no further; null where they are. They look like a list that lives,
 * or like a count that is wrong: no accusation, but no reason to go on either.
 */
export function whyOverlong({ steps, beyond }: Standing): string | null {
  const last = steps.at(-1);
  const { count } = last?.page ?? {};
  if (last === undefined) return null;
  if (typeof count !== 'number' || count <= 0) {
    return steps.length < PAGES_WITHOUT_COUNT
      ? null
      : `the links still went on after ${steps.length} pages, and no count says how many there are`;
  }
  if (beyond > PAGES_BEYOND_COUNT)
    return `the links still went on ${PAGES_BEYOND_COUNT} pages after the ${count} records that count tells`;
  const told = steps[0]?.page.count;
  if (typeof told !== 'number' || told <= 0 || last.given > count || last.given <= MOST_GROWTH * told)
    return null;
  return steps.length <= PAGES_BEYOND_COUNT
    ? null
    : `count was ${told} at first, and after ${last.given} records it is ${count}, and the links still went on`;
}

/**
 * How many pages further on a traversal looks whether there still are records, instead of following every link to where it
 * gives up; null where it has no reason to. It looks once: as soon as it is past the count, or, where there is none,
 * once the list has turned out long.
 */
export function pagesAhead({ steps, beyond }: Standing): number | null {
  const { count } = steps.at(-1)?.page ?? {};
  if (typeof count === 'number' && count > 0) return beyond === 1 ? PAGES_BEYOND_COUNT : null;
  return steps.length === PAGES_BEYOND_COUNT ? PAGES_WITHOUT_COUNT : null;
}

/**
 * Whether a page that was asked for far ahead shows that the links would not have ended before it: it holds records
 * that nobody has met, and is linked on. The last page once more, or the first, shows nothing.
 */
export function showsNoEnd(ahead: ListAnswer, reached: IdentitySet): boolean {
  return (
    ahead.kind === 'page' &&
    typeof ahead.link === 'string' &&
    ahead.link !== '' &&
    reached.lacking(ahead.identities) > 0
  );
}

function skipOf(target: string): number {
  const query = readQuery(target.slice(target.indexOf('?') + 1));
  const skips = query.filter(({ name }) => name === '$skip');
  const value = skips[0]?.value ?? '';
  return skips.length === 1 && /^\d{1,15}$/.test(value) ? Number(value) : -1;
}
