import type { RequirementId } from '../../core/requirement-id.ts';
import { breaks, defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { isCounted, isFrom, isLinked, isOfSize, type PageTest } from '../page-tests.ts';
import { type Change, counting, type Page, rewrite, textAnswer, wrap } from '../pipeline.ts';
import { mix } from '../records.ts';
import {
  bareArray,
  changeItems,
  changePositions,
  changeRecordAt,
  linkTo,
  nominalEndOffset,
  onPages,
  refusePages,
} from '../step-changes.ts';

/** Refuses the pages behind links that pass the tests. */
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
  'follow-bare-array': breaks('list/envelope', 'array')
    .hidden('A followed nextPageLink is answered with a bare array instead of the envelope.')
    .by(onPages(isLinked)(bareArray)),
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
      const third = page.skip >= 2 * page.pageSize && page.skip < 3 * page.pageSize;
      return third && page.skip + page.pageSize < page.total ? page.pageSize : undefined;
    }),
  ),
  'traversal-skip-unread': having({
    may: ['traversal/by-parameters', 'traversal/no-duplicates', 'traversal/same-records'],
  })
    .plain('$skip is ignored, so every link leads to the first page and the traversal never ends.')
    .by(wrap('skip', () => () => 0)),
});

/** Shuffles records within groups of equal sort keys; the order depends on `salt`. */
function shuffledTies(salt: (page: Page) => number): Change {
  const group = 40;
  return changeRecordAt((position, page) => {
    const start = position - (position % group);
    const length = Math.min(group, page.total - start);
    // Rotating the group is enough and needs no memory.
    return start + ((position - start + (mix(salt(page) ^ start) % length)) % length);
  });
}

/** Gives the records of a bulk import, which have one sort key, in a random order in each answer. */
function shuffledImport(from: number, length: number): Change {
  return changeRecordAt((position, page) => {
    if (position < from || position >= from + length) return position;
    const rank = (index: number): number => mix(page.request.number * length + index);
    const order = Array.from({ length }, (_, index) => index).toSorted(
      (one, other) => rank(one) - rank(other),
    );
    return from + (order[position - from] ?? 0);
  });
}

/** Requirements that a page with other records may break as well. */
export const losesRecords: readonly RequirementId[] = ['traversal/same-records', 'count/equals-records'];
const alsoLosesRecords = having({ may: losesRecords });
export const alsoOthers = { may: [...losesRecords, 'traversal/by-parameters'] } as const;
const alsoCount = having({ may: ['count/equals-records'] });

const repeated = defectsWith({ keywords: ['twice'], must: ['traversal/no-duplicates'] })({
  'traversal-boundary-repeated': alsoLosesRecords
    .hidden('The last record of a page comes twice: the next page begins with it.')
    .by(onPages(isLinked)(changePositions((position) => position - 1))),
  'traversal-last-page-filled-up': subtle(
    'The last page is filled with records of the page before, so they come twice.',
  ).by(
    rewrite('positions', (positions, { skip, pageSize, total }) => {
      if (skip === 0 || positions.length === 0 || positions.length === pageSize) return positions;
      return Array.from({ length: pageSize }, (_, index) => total - pageSize + index);
    }),
    nominalEndOffset,
  ),
  'traversal-first-page-for-all': alsoLosesRecords
    .hidden('Every page holds the records of the first page, so they come twice or more.')
    .by(changePositions((position, { skip }) => position - skip)),
  'traversal-repeats-late': alsoCount
    .subtle('From record 700 on, the first records of the list come twice.')
    .by(changePositions((position) => (position >= 700 ? position - 700 : position))),
  'traversal-ids-collide': alsoCount
    .subtle('Records 100 and 900 have the same identifier, so it comes twice.')
    .by(changeRecordAt((position) => (position === 900 ? 100 : position))),
  'traversal-joined-with-agents': alsoCount
    .hidden('Each record is joined with three agents, so it comes three times, each time with another agent.')
    .by(
      changeRecordAt((position) => Math.floor(position / 3)),
      counting((count) => changeItems((members) => ({ ...members, agent: `agent-${count()}.example` }))),
    ),
  'traversal-ids-of-one-page-collide': alsoCount
    .hidden('Each record is joined with its two agents, so every tenth one comes twice on the same page.')
    .by(changeRecordAt((position) => (position % 10 === 9 ? position - 1 : position))),
  'traversal-ties-by-page': having(alsoOthers)
    .subtle('Records with equal sort keys are ordered differently on each page, so some come twice.')
    .by(shuffledTies((page) => page.skip)),
  'traversal-ties-by-request': having(alsoOthers)
    .subtle('Records with equal sort keys are ordered anew for each request, so some come twice.')
    .by(shuffledTies((page) => page.request.number)),
  'traversal-ties-of-one-import': having(alsoOthers)
    .subtle(
      'Records 491 to 520 have equal sort keys and are ordered anew for each request, so some come twice.',
    )
    .by(shuffledImport(490, 30)),
  'traversal-ties-of-a-late-import': having(alsoOthers)
    .subtle(
      'Records 976 to 1025 have equal sort keys and are ordered anew for each request, so some come twice.',
    )
    .by(shuffledImport(975, 50)),
  'traversal-ties-of-deep-small-pages': having({
    ...alsoOthers,
    keywords: ['other records'],
    needs: { suite: 'certify' },
  })
    .subtle(
      'Behind record 100, records with equal sort keys are ordered anew for each request of up to 60 records.',
    )
    .by(
      onPages(({ pageSize, skip }) => pageSize <= 60 && skip >= 100)(
        shuffledTies((page) => page.request.number),
      ),
    ),
});

/** Defects of following the links. */
export const traversalDefects = [...following, ...endings, ...repeated];
