import { type Foresee, likelyLink } from './foresight.ts';
import { IdentitySet } from './identity-set.ts';
import { type ListPlace, readLink, type UsableLink } from './link.ts';
import type { ListAnswer, NoPage, Page } from './page.ts';
import { kindOf } from './schemas.ts';

/** One page of a walk with what the walk knows at that point. */
export interface Step {
  readonly page: Page;
  /** Position in the walk, from 1. */
  readonly number: number;
  /** Page size in force for this page: what was asked, or what the link that led here carries; 500 where none. */
  readonly sizeInForce: number;
  /** Records given up to and including this page. */
  readonly given: number;
  /** Records of this page that no earlier page of the walk gave. */
  readonly fresh: number;
  /** Where its nextPageLink leads; null where it gives none, or none that can be followed. */
  readonly link: UsableLink | null;
}

/** How a walk came to its end. */
export type WalkEnd =
  | { readonly kind: 'end' } // a page without a link
  | { readonly kind: 'paused' } // as many pages as were asked for
  | { readonly kind: 'limit'; readonly why: string }
  | { readonly kind: 'unusable'; readonly why: string } // a link that cannot be followed
  | { readonly kind: 'circle'; readonly backTo: number } // a link to a page already visited
  | { readonly kind: 'runaway'; readonly pages: number } // links go on, records do not
  | { readonly kind: 'broken'; readonly answer: NoPage }; // a link whose answer is no list

/** A list read by its links (4.3.2, 4.3.3). */
export interface Walk {
  /** Page size of the first request; null where it was left out. */
  readonly pageSize: number | null;
  readonly steps: readonly Step[];
  readonly end: WalkEnd;
  /** Distinct records reached. */
  readonly reached: IdentitySet;
  /** Whether every record had an identifier: without, nobody can tell one from another. */
  readonly identified: boolean;
}

/** Linked pages in a row that give nothing new before a walk is called endless, once all is counted. */
const STALE_PAGES = 2;
/** The same while the count says that records are still to come. */
const STALE_PAGES_BELOW_COUNT = 20;
/** Pages beyond the count after which a walk stops waiting for its end. */
const PAGES_BEYOND_COUNT = 64;
/** How many times as long as its first page told a list may become while it is walked; a living one grows less. */
const MOST_GROWTH = 2;
/** Pages after which a walk stops waiting for an end that no count foretells. */
const PAGES_WITHOUT_COUNT = 2000;

/** Where a walk gets its pages from; throws as ListClient.authorized does. */
export interface PageSource {
  at(target: string, foresee: Foresee): Promise<ListAnswer>;
  readonly place: ListPlace;
  /** limits.maxPages. */
  readonly maxPages: number;
}

/** Walks from a first request until the links end or stop making sense. Throws as View.at does. */
export async function walkFrom(options: {
  readonly source: PageSource;
  readonly start: string;
  readonly pageSize: number | null;
  readonly mostPages: number;
  readonly identityOfRequest: (target: string) => string;
}): Promise<Walk> {
  const { source, pageSize } = options;
  const steps: Step[] = [];
  let reached = new IdentitySet();
  const visited = new Map<string, number>();
  const finish = (end: WalkEnd): Walk => ({ pageSize, steps, end, reached, identified });
  let target = options.start;
  let sizeInForce = pageSize ?? 500;
  let given = 0;
  let stale = 0;
  let beyond = 0;
  let identified = true;
  let count = 0;
  let unread = false;
  // The next page is asked for before this one is judged, as long as records are still to come: so a walk that goes
  // astray costs no request that it would not have cost otherwise, or one.
  const foresee: Foresee = (exchange) => {
    const early =
      !unread && stale === 0 && given + sizeInForce < count && steps.length + 1 < options.mostPages;
    unread = true;
    const likely = early && exchange.answer !== null ? likelyLink(exchange.answer.body) : null;
    const link = likely === null ? null : readLink(likely, source.place);
    if (link?.kind !== 'relative' || visited.has(options.identityOfRequest(link.target))) return false;
    source.at(link.target, foresee).catch(() => undefined);
    return true;
  };
  for (;;) {
    const answer = await source.at(target, foresee);
    unread = false;
    if (answer.kind !== 'page') return finish({ kind: 'broken', answer });
    visited.set(options.identityOfRequest(target), steps.length + 1);
    if (steps.length === 0) reached = new IdentitySet(foretold(answer, options.mostPages));
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
      if (link.bounded)
        return finish({
          kind: 'limit',
          why: `the link of page ${steps.length} was not followed: ${link.why}`,
        });
      return finish({ kind: 'unusable', why: link.why });
    }
    const back = visited.get(options.identityOfRequest(link.target));
    if (back !== undefined) return finish({ kind: 'circle', backTo: back });
    count = typeof answer.count === 'number' ? answer.count : 0;
    stale = fresh > 0 || steps.length === 1 ? 0 : stale + 1;
    if (stale >= (given < count ? STALE_PAGES_BELOW_COUNT : STALE_PAGES))
      return finish({ kind: 'runaway', pages: stale });
    beyond = given > count ? beyond + 1 : 0;
    if (count > 0 && beyond > PAGES_BEYOND_COUNT) {
      return finish({
        kind: 'limit',
        why: `the links still went on ${PAGES_BEYOND_COUNT} pages after the ${count} records that count tells`,
      });
    }
    const overlong = whyOverlong(steps, given, count);
    if (overlong !== null) return finish({ kind: 'limit', why: overlong });
    if (steps.length >= options.mostPages) {
      return finish(
        options.mostPages < source.maxPages
          ? { kind: 'paused' }
          : {
              kind: 'limit',
              why: `limits.maxPages allows ${options.mostPages} pages, and the links went on`,
            },
      );
    }
    sizeInForce = sizeOf(link);
    target = link.target;
  }
}

// New records and links for ever look like a list that lives; no accusation, but no reason to go on either.
function whyOverlong(steps: readonly Step[], given: number, count: number): string | null {
  if (count <= 0) {
    return steps.length < PAGES_WITHOUT_COUNT
      ? null
      : `the links still went on after ${steps.length} pages, and no count says how many there are`;
  }
  const told = steps[0]?.page.count;
  if (typeof told !== 'number' || told <= 0 || given > count || given <= MOST_GROWTH * told) return null;
  return steps.length <= PAGES_BEYOND_COUNT
    ? null
    : `count was ${told} at first, and after ${given} records it is ${count}, and the links still went on`;
}

// How many records a walk of so many pages will meet, as far as its first page tells.
function foretold({ count, itemCount, link }: Page, mostPages: number): number {
  return link === undefined || typeof count !== 'number' ? itemCount : Math.min(count, mostPages * itemCount);
}

function sizeOf(link: UsableLink): number {
  const sizes = link.parameters.filter(({ name }) => name === '$pagesize');
  const size = sizes.length === 1 && /^\d{1,9}$/.test(sizes[0]?.value ?? '') ? Number(sizes[0]?.value) : 500;
  return size >= 1 && size <= 500 ? size : 500;
}
