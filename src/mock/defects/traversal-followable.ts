import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, everyNth, rewrite, wrap } from '../changes.ts';
import { growing } from '../data-changes.ts';
import {
  addLinkParameter,
  addToCount,
  changeRecordAt,
  has,
  isCounted,
  isDeepAndSmall,
  isFrom,
  isLast,
  isLinked,
  isOfSize,
  isOfUnsizedList,
  linkTo,
  numberedLinks,
  onPages,
  type PageTest,
  refusePages,
  SMALL_PAGE_SIZE,
} from '../page-changes.ts';
import { textAnswer, valuesOf } from '../pipeline.ts';
import { forSecondClient } from '../token-changes.ts';

/** Marks the links of lists that were requested without $pagesize, and answers these links with a status. */
function refuseUnsized(status: number): Change {
  return composeChanges(
    onPages(isOfUnsizedList)(addLinkParameter('view', () => 'all')),
    refusePages(status, 'no such view', isLinked, isOfUnsizedList),
  );
}

function refuseFollowed(status: number, ...where: readonly PageTest[]): Change {
  return refusePages(status, 'this page cannot be served', isLinked, ...where);
}

const following = defectsWith({ keywords: ['nextpagelink'], must: ['traversal/followable'] })({
  // Without a link, only pages by their parameters show it.
  'follow-500': having({ may: ['traversal/by-parameters'] })
    .plain('Every nextPageLink that is followed is answered 500.')
    .by(refuseFollowed(500)),
  'follow-404': plain('Every nextPageLink that is followed is answered 404.').by(refuseFollowed(404)),
  'follow-refused-late': subtle('A nextPageLink beyond record 600 is answered 400.').by(
    refuseFollowed(400, isFrom(601)),
  ),
  'follow-refused-beyond-10000': having({ records: 10_600 })
    .subtle('A nextPageLink to record 10000 or beyond is answered 400.')
    .by(refuseFollowed(400, isFrom(10_000))),
  'follow-last-refused': subtle(
    'The nextPageLink to the last page is answered 404 unless that page is full.',
  ).by(refuseFollowed(404, ({ skip, pageSize, total }) => skip < total && skip + pageSize > total)),
  'follow-count-refused': hidden(
    'A nextPageLink is answered 400, because $count and $skip must not be combined.',
  ).by(refuseFollowed(400, isCounted)),
  'follow-single-records-refused': subtle('A nextPageLink with a page size of 1 is answered 422.').by(
    refuseFollowed(422, isOfSize(1)),
  ),
  'follow-502-late': subtle('A gateway answers 502 for a nextPageLink to record 1000 or beyond.').by(
    refuseFollowed(502, isFrom(1000)),
  ),
  'follow-504-of-large-pages': subtle(
    'A gateway answers 504 for a nextPageLink to record 500 or beyond with a page size of 500.',
  ).by(refuseFollowed(504, isOfSize(500), isFrom(500))),
  'follow-503-late': subtle(
    'A gateway answers 503 without Retry-After for a nextPageLink to record 1000 or beyond.',
  ).by(refuseFollowed(503, isFrom(1000))),
  'follow-403-from-page-50': subtle('A nextPageLink to the fiftieth page or a later one is answered 403.').by(
    refuseFollowed(403, ({ skip, pageSize }) => skip >= 49 * pageSize),
  ),
  'follow-422-late-for-small-pages': subtle(
    'A nextPageLink to record 900 or beyond is answered 422 for pages of less than 20 records.',
  ).by(refuseFollowed(422, isFrom(900), ({ pageSize }) => pageSize < 20)),
  'follow-redirected': hidden('A followed nextPageLink is redirected with 302.').by(
    onPages(isLinked)(
      rewrite('pageAnswer', (_answer, _body, { request }) => ({
        status: 302,
        headers: { Location: `${request.target}&moved=1` },
        body: '',
      })),
    ),
  ),
  'follow-no-content': hidden('A followed nextPageLink is answered 204 with no body.').by(
    onPages(isLinked)(rewrite('pageAnswer', () => textAnswer(204))),
  ),
  'deep-small-pages-refused': having({ keywords: ['400'] })
    .subtle('A page of fewer than 60 records with a $skip of 1,000 or more is answered 400.')
    .by(refusePages(400, 'the offset is too large', isDeepAndSmall)),
  'growing-deep-pages-refused': having({ keywords: ['400'], needs: { order: true } })
    .subtle('A record is added at every fifth read, and a $skip of 1,000 or more is answered 400.')
    .by(growing(refusePages(400, 'the offset is too large', ({ skip }) => skip >= 1000))),
  'growing-deep-pages-not-found': having({ keywords: ['404'], needs: { order: true } })
    .subtle('A record is added at every fifth read, and a $skip of 500 or more is answered 404.')
    .by(growing(refusePages(404, 'no such page', ({ skip }) => skip >= 500))),
  'last-small-page-refused': having({ keywords: ['400'], may: ['traversal/by-parameters'] })
    .subtle('The last page is answered 400 if $pagesize is below 60.')
    .by(
      refusePages(400, 'the offset is too large', isLinked, ({ pageSize, skip, total }) => {
        return pageSize < SMALL_PAGE_SIZE && pageSize > 2 && skip + pageSize >= total;
      }),
    ),
  'link-refused-every-15th-time': having({ keywords: ['400', 'linked pages'], needs: { order: true } })
    .subtle('Every 15th request with a $skip is answered 400.')
    .by(onPages(isLinked)(everyNth(15)(refusePages(400, 'unknown parameter: $skip')))),
  'link-not-found-every-twelfth-time': having({ keywords: ['404'], needs: { order: true } })
    .subtle('Every twelfth request with a $skip is answered 404.')
    .by(onPages(isLinked)(everyNth(12)(refusePages(404, 'there is nothing at this path')))),
  'links-refused-without-size-and-count-too-low': having({
    must: ['traversal/followable', 'count/equals-records'],
    keywords: ['traversal'],
  })
    .hidden('Links of a list without $pagesize are answered 404, and count leaves out the last record.')
    .by(refuseUnsized(404), addToCount(-1)),
  'links-refused-without-size-and-records-twice': having({
    must: ['traversal/followable', 'traversal/no-duplicates'],
    keywords: ['traversal'],
    may: ['count/equals-records'],
  })
    .hidden(
      'Links of a list without $pagesize are answered 500, and record 900 comes twice with any page size.',
    )
    .by(
      refuseUnsized(500),
      changeRecordAt((position) => (position === 900 ? 100 : position)),
    ),
  'numbered-link-refused': having({ keywords: ['400'] })
    .plain('nextPageLink carries a number that changes with each answer, and linked pages are answered 400.')
    .by(numberedLinks, refusePages(400, 'unknown parameter: number', has('number'))),
  'link-works-once': having({ keywords: ['410'], needs: { order: true } })
    .hidden('Each nextPageLink carries a number that can be used once: followed again it is answered 410.')
    .by(
      counting((count) => addLinkParameter('once', () => count())),
      counting((count) =>
        refusePages(410, 'this link was used', (page) => {
          const [number] = valuesOf(page, 'once');
          return number !== undefined && count(number) > 1;
        }),
      ),
    ),
  'second-client-linked-pages-refused': having({ keywords: ['404'] })
    .subtle('A page with a $skip is answered 404 for the second client.')
    .by(forSecondClient(refusePages(404, 'no such view', isLinked))),
});

const endings = defectsWith({
  keywords: ['page'],
  must: ['traversal/terminates'],
  may: ['link/offset', 'traversal/no-duplicates', 'traversal/same-records'],
})({
  'traversal-circle': hidden(
    'From the third page a link leads back to the second, so the traversal never ends.',
  ).by(
    linkTo((page) => {
      const isThird = page.skip >= 2 * page.pageSize && page.skip < 3 * page.pageSize;
      return isThird && page.skip + page.pageSize < page.total ? page.pageSize : undefined;
    }),
  ),
  'traversal-skip-unread': having({
    may: ['traversal/by-parameters', 'traversal/no-duplicates', 'traversal/same-records'],
  })
    .plain('$skip is ignored, so every link leads to the first page and the traversal never ends.')
    .by(wrap('skip', () => () => 0)),
  'second-client-link-back-to-start': having({ keywords: ['does not end'], may: ['link/absent-at-the-end'] })
    .subtle('For the second client the last page has a link to the first one.')
    .by(forSecondClient(onPages(isLast)(linkTo(() => 0)))),
});

/** Defects of links that cannot be followed, or not to an end. */
export const followableDefects = [...following, ...endings];
