import { MORE_THAN_ONE_PAGE } from '../core/cause.ts';
import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** nextPageLink (clauses 2.3 and 4.3). A member that is null counts as absent throughout. */
export const link: readonly Requirement[] = [
  {
    id: 'link/absent-without-count',
    clause: ['2.3', '4.3.1'],
    smoke: true,
    rule: 'When $count is left out or false, the answer gives no nextPageLink, even where more records exist.',
    needs: MORE_THAN_ONE_PAGE,
    tested: prose`Asks for pages smaller than the list without $count, and with $count=false from within the list, and looks
      for a link.`,
    breach: 'nextPageLink is given although nobody enabled $count.',
    causes: prose`Links made whenever a page is full, as the server-driven paging of stock ASP.NET OData does; $count
      tested for being present and not for being true.`,
    fix: prose`Make the link only where the parsed value of $count is true.`,
  },
  {
    id: 'link/present-when-more',
    clause: ['2.3', '4.3.2'],
    smoke: true,
    rule: 'When $count is true, every page that has records after it gives a nextPageLink.',
    needs: MORE_THAN_ONE_PAGE,
    tested: prose`Walks the list with several page sizes and holds each page without a link against the number of
      records that are known to exist.`,
    breach: 'The walk ends early: a page without a link, although records are still to come.',
    causes: prose`The member spelled otherwise (nextpagelink, @odata.nextLink, nextLink); links given only when the
      client names no page size; an offset beyond which none is made (10,000 in search engines); "is there more?"
      decided with the page's length in place of the total.`,
    fix: prose`Name the member nextPageLink, and give it wherever skip plus the records of this page is less
      than the total, at any offset and for any page size.`,
  },
  {
    id: 'link/absent-at-the-end',
    clause: ['2.3', '4.3.2'],
    smoke: false,
    rule: prose`The page that holds the last record gives no nextPageLink; also when n divides N, when n equals N, and
      when n is greater than N.`,
    needs: null,
    tested: prose`Walks to the last page with page sizes that divide N, that equal N where N is at most 500, and that do
      neither, and asks for more than there is where the list is short.`,
    breach:
      'The last page links to an empty page, to itself, or to the start; an empty string also counts as a link.',
    causes: prose`"A full page means that there is more", wrong exactly when n divides N; skip + n <= total where < was
      meant; a count of pages that starts at 0 in one place and at 1 in another.`,
    fix: prose`Decide by skip plus the records of this page against the total, with a plain 'less than', and
      leave the member out where there is nothing more.`,
  },
  {
    id: 'link/relative',
    clause: ['2.3'],
    smoke: true,
    rule: prose`nextPageLink is a relative reference: it has no scheme and no host, and its path, resolved against the
      list, is the path of the list.`,
    needs: MORE_THAN_ONE_PAGE,
    tested: prose`Reads every link of the run by RFC 3986, resolves it against the list path and compares. A link with or
      without a leading slash, or of a query alone, is in order where it leads there.`,
    breach: 'https://…/v1/printers?…, //host/…, or a relative link to another path.',
    causes: prose`Stock ASP.NET OData, which writes absolute links; a link made from the request as the service sees it
      behind a gateway, with an internal host name, http in place of https, or the gateway's path prefix lost.`,
    fix: prose`Write the list path and the query alone, or make the link relative to the request; do not
      build it from the host and scheme that the service sees.`,
  },
  {
    id: 'link/query',
    clause: ['2.3'],
    smoke: false,
    rule: prose`The query of the link carries $count=true, $pagesize with the page size in force, and $skip, each of
      them once. Names may be written with %24, stand in any order, and have further parameters beside them.`,
    needs: MORE_THAN_ONE_PAGE,
    tested: 'Reads the query of every link of the run, after decoding names and values once.',
    breach: 'A parameter is missing, stands twice, has another value, or has lost its $.',
    causes: prose`The old $skip kept and a new one appended; $pagesize dropped where the default was in force; the $
      removed or encoded twice (%2524) by a URL builder; $count written as 1; a continuation token
      ($skiptoken, cursor) in place of $skip.`,
    fix: prose`Build the query anew from $count=true, the page size in force and the new $skip, each once,
      and add further parameters of the request after that; do not append to the old query.`,
  },
  {
    id: 'link/offset',
    clause: ['2.3'],
    smoke: false,
    rule: '$skip in the link is the number of records given so far, this page included.',
    needs: MORE_THAN_ONE_PAGE,
    tested: 'Adds up the items of each walk, page by page, and compares the sum with the $skip of the link.',
    breach:
      'A $skip that lies behind or ahead of the sum: the next page would repeat records or leave some out.',
    causes: prose`$skip advanced by the default or the maximum page size in place of the one in force, or by the number
      asked for where fewer were given; counted in pages; never advanced; one too few or too many.`,
    fix: prose`Set $skip to the $skip of this request plus the number of records that this page gave.`,
  },
];
