import type { Memo } from '../core/memo.ts';
import type { IdentitySet } from './identity-set.ts';
import type { UsableLink } from './link.ts';
import type { NoPage, Page } from './page.ts';

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
export type TraversalEnd =
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
