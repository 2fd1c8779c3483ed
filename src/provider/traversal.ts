import type { Memo } from '../core/memo.ts';
import type { IdentitySet } from './identity-set.ts';
import type { UsableLink } from './link.ts';
import type { NoPage, Page } from './page.ts';

/** One page of a traversal with what the traversal knows at that point. */
export interface Step {
  readonly page: Page;
  /** Position in the traversal, from 1. */
  readonly number: number;
  /** Page size in force for this page: what was asked, or what the link that led here carries; 500 where none. */
  readonly sizeInForce: number;
  /** Records given up to and including this page. */
  readonly given: number;
  /** Records of this page that no earlier page of the traversal gave. */
  readonly fresh: number;
  /** Where its nextPageLink leads; null where it gives none, or none that can be followed. */
  readonly link: UsableLink | null;
}

/** How a traversal came to its end. */
export type TraversalEnd =
  | { readonly kind: 'end' } // a page without a link
  | { readonly kind: 'paused' } // as many pages as were asked for
  | { readonly kind: 'limit'; readonly limit: string; readonly why: string }
  | { readonly kind: 'unusable'; readonly why: string } // a link that cannot be followed
  | { readonly kind: 'circle'; readonly backTo: number } // a link to a page already visited
  | { readonly kind: 'runaway'; readonly pages: number } // links go on, records do not
  | { readonly kind: 'broken'; readonly answer: NoPage }; // a link whose answer is no list

/** A list read by its links (4.3.2, 4.3.3). */
export interface Traversal {
  /** Page size of the first request; null where it was left out. */
  readonly pageSize: number | null;
  readonly steps: readonly Step[];
  readonly end: TraversalEnd;
  /** Distinct records reached. */
  readonly reached: IdentitySet;
  /** Whether every record had an identifier: without, nobody can tell one from another. */
  readonly identified: boolean;
  /** What is worked out once from a traversal that is over: nearly every check asks. */
  readonly memo: Memo;
}
