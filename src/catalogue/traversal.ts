import { MORE_THAN_ONE_PAGE } from '../core/cause.ts';
import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** Following the links from the first page to the last (clause 4.3). */
export const traversal: readonly Requirement[] = [
  {
    id: 'traversal/followable',
    clause: ['4.3.2', '4.3.3'],
    smoke: true,
    rule: prose`Every nextPageLink, followed just as it was given and with the same headers, is answered with HTTP 200 and
      a list envelope.`,
    needs: MORE_THAN_ONE_PAGE,
    tested:
      'Follows every link of several walks, byte for byte, resolved against the list path, with the same headers.',
    breach: '404, 400, 500 or a body that is no list behind a link that the provider itself gave.',
    causes: prose`A link without the path prefix of the gateway; $ encoded twice; a link that the service's own
      validation of parameters refuses; $skip beyond a limit of the search engine behind it (10,000 records); a query
      that grows slow with its offset and runs into a timeout.`,
    fix: prose`Route the link exactly like the first call: same path, same gate, same parser; keep no state
      between pages that may be gone; allow every offset up to the total.`,
  },
  {
    id: 'traversal/terminates',
    clause: ['4.3.2', '4.3.3'],
    smoke: true,
    rule: prose`Following the links comes to an end: no link leads back to a page that was visited before, and no page
      after the last record is linked.`,
    needs: null,
    tested: prose`Walks the list with several page sizes, remembers every page, and stops at the first one that comes back
      or that lies past the last record. Where links go on and records do not, a page past any list shows whether
      they ever end.`,
    breach:
      'A circle, a link to the page itself, the first page again after the last, or empty pages for ever.',
    causes: prose`$skip not read, so that each link gives the first page; $skip wrapped around at the end; a link made even
      where a page is empty; a cache that answers page two with page one.`,
    fix: prose`Let the offset grow with every page, read $skip where the link writes it, and stop giving a
      link where the total is reached.`,
  },
  {
    id: 'traversal/no-duplicates',
    clause: ['2.2', '4.3.2'],
    smoke: false,
    rule: 'No identifier stands twice in one walk over the list.',
    needs: null,
    tested: prose`Collects hashes of the identifiers of each walk, over all pages; where two are equal, reads both pages
      again and compares the identifiers themselves. Walks again before it calls a repetition a breach, so that
      records inserted meanwhile are not held against the provider.`,
    breach: 'The same id on two pages, mostly at their border, or twice on one page.',
    causes: prose`No ORDER BY, or one over a column with equal values and no unique tie-breaker, so that the database
      shuffles ties for each request; an inclusive bound that repeats the border row; a join that multiplies rows.`,
    fix: prose`Sort by a key that no two records share (put the identifier last), in the same order on every
      request, and page after duplicates of joins are removed.`,
  },
  {
    id: 'traversal/same-records',
    clause: ['4.3.2', '4.3.3'],
    smoke: false,
    rule: 'Walks with different page sizes reach the same set of records.',
    needs: MORE_THAN_ONE_PAGE,
    tested: prose`Compares the sets of identifiers of walks with different page sizes, with the data seen to rest before
      and after.`,
    breach: 'A record that one page size shows and another does not.',
    causes: prose`An unstable order; border rows left out (an exclusive bound, an offset that is one too large); a filter
      or de-duplication after the limit; a list cut off after a fixed number of pages.`,
    fix: prose`Use one query and one order for all page sizes, count $skip in records, and page before
      nothing but the projection.`,
  },
  {
    id: 'traversal/by-parameters',
    clause: ['4.3.3'],
    smoke: false,
    rule: prose`A page that the client asks for by its own $count, $pagesize and $skip holds the records of the page that
      the link gives.`,
    needs: MORE_THAN_ONE_PAGE,
    tested: prose`Builds the query of several pages itself, without looking at the links, and compares identifiers with
      those of the linked pages.`,
    breach: 'Other records, or a refusal, for parameters that mean the same page.',
    causes: prose`$skip understood as a number of pages, or read only together with an internal parameter of the link;
      another order for linked pages than for first pages; $skip bounded more strictly for clients than for links.`,
    fix: prose`Read $count, $pagesize and $skip from the query whoever wrote it, and let a link carry
      nothing that such a query lacks.`,
  },
];
