import { breaks, defectsWith, having, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import { changeDuringReads, every, moveToEnd, moveToFront } from '../data-changes.ts';
import { isFrom, isLinked } from '../page-tests.ts';
import {
  type Change,
  composeChanges,
  everyNth,
  type Page,
  problem,
  Refused,
  rewrite,
  valuesOf,
} from '../pipeline.ts';
import { mix } from '../records.ts';
import {
  addLinkParameter,
  cachePages,
  changePositions,
  changeRecordAt,
  movePositions,
  nominalEndOffset,
  onPages,
} from '../step-changes.ts';
import { alsoOthers, losesRecords } from './traversal.ts';

const duplicates = {
  keywords: ['record'],
  must: ['traversal/no-duplicates'],
  may: ['traversal/same-records', 'traversal/by-parameters'],
} satisfies Traits;

/** Gives pairs of records between two positions the other way round. */
function turnPairs(from: number, to: number): Change {
  return changeRecordAt((position) => (position >= from && position < to ? position ^ 1 : position));
}

/** Moves the offset of pages behind the first one, for page sizes from 20 to 90. */
function shiftInBand(by: number): Change {
  return onPages(({ pageSize, skip }) => skip > 0 && pageSize >= 20 && pageSize <= 90)(movePositions(by));
}

/** Orders and offsets that differ between some pages, away from those that most traversals reach. */
const somePages = defectsWith(duplicates)({
  'ties-turn-behind-600': having({ keywords: ['different orders'] })
    .subtle('Pages that begin behind record 600 give ties among the records 701 to 740 in the other order.')
    .by(onPages(isFrom(600))(turnPairs(700, 740))),
  'ties-turn-with-skip': subtle(
    'Pages that are requested by $skip give ties among the records 101 to 160 in the other order.',
  ).by(onPages(isLinked)(turnPairs(100, 160))),
  'offset-low-for-middle-sizes': subtle(
    'With a page size from 20 to 90, pages behind the first one begin one record too early.',
  ).by(shiftInBand(-1)),
  'offset-high-for-middle-sizes': breaks('traversal/same-records', 'record')
    .having({ may: ['traversal/by-parameters', 'count/equals-records'] })
    .subtle('With a page size from 20 to 90, pages behind the first one begin one record too late.')
    .by(shiftInBand(1), nominalEndOffset),
  'tail-missing-for-small-pages': breaks('traversal/by-parameters', 'no record')
    .having({
      may: ['traversal/same-records', 'page-size/filled', 'link/absent-at-the-end', 'count/equals-records'],
    })
    .subtle(
      'Pages of less than 30 records give none of the records behind the first 1,200; count includes them.',
    )
    .by(
      onPages(({ pageSize }) => pageSize < 30)(
        rewrite('positions', (positions) => positions.filter((position) => position < 1200)),
      ),
    ),
  'record-left-out-before-page-21': breaks('traversal/same-records', 'record')
    .having({
      may: ['traversal/by-parameters', 'count/equals-records', 'page-size/filled', 'link/absent-at-the-end'],
    })
    .subtle('From page 21 on, pages begin one record too late, for every page size.')
    .by(onPages(({ pageSize, skip }) => skip >= 20 * pageSize)(movePositions(1)), nominalEndOffset),
});

/** Lists whose order changes between requests although no record is added or removed. */
const unstableOrders = defectsWith({
  keywords: ['order', 'count'],
  must: ['traversal/no-duplicates'],
  needs: { order: true },
})({
  'order-by-last-update': subtle(
    'The list is sorted by the last update: at every fifth read an updated record moves to the front.',
  ).by(changeDuringReads(moveToFront, every(5))),
  'order-of-the-heap': subtle(
    'The list has no ORDER BY: at every fourth read an updated record moves to the end.',
  ).by(changeDuringReads(moveToEnd, every(4))),
  'order-of-two-replicas': having({ keywords: ['again on page'], may: duplicates.may })
    .subtle('Every third answer comes from a replica that begins its list seven records later.')
    .by(
      onPages(({ request }) => request.number % 3 === 0)(
        changeRecordAt((position, page) => (position + 7) % page.total),
      ),
    ),
  'order-reversed-every-31st-page': having({ keywords: ['record'], may: duplicates.may, needs: {} })
    .subtle('Every 31st page is of a list in the opposite order, as from a server without the right index.')
    .by(everyNth(31)(changePositions((position, { total }) => total - 1 - position))),
  'order-of-every-third-record-every-23rd-page': having({
    keywords: ['record'],
    may: duplicates.may,
    needs: {},
  })
    .subtle('In every 23rd page, two of three records are those of the other half of the list.')
    .by(
      everyNth(23)(
        changePositions((position, { total }) =>
          position % 3 === 0 ? position : (position + Math.floor(total / 6) * 3) % total,
        ),
      ),
    ),
  'pages-begin-early-now-and-then': having({ keywords: ['on page'], may: alsoOthers.may })
    .subtle(
      'Some pages behind links, now these and now others, begin with the last record of the page before.',
    )
    .by(moveSomePages(-1)),
  'pages-begin-late-now-and-then': having({ keywords: ['on page'], may: alsoOthers.may })
    .subtle(
      'Some pages behind links, now these and now others, begin with the second record and end one record later.',
    )
    .by(moveSomePages(1)),
});

/** Moves two of five pages behind links, in no regular order, together with their end. */
function moveSomePages(by: number): Change {
  return onPages(
    isLinked,
    ({ request }) => mix(request.number) % 5 < 2,
  )(
    composeChanges(
      rewrite('positions', (positions, { skip, pageSize, total }) =>
        positions.length === 0
          ? positions
          : Array.from({ length: Math.min(pageSize, total - skip - by) }, (_, index) => skip + by + index),
      ),
      nominalEndOffset,
    ),
  );
}

/** Replaces one record of the pages of some sizes by another that pages of other sizes never contain. */
function replaceRecord(record: number, where: (pageSize: number) => boolean): Change {
  return changeRecordAt((position, { pageSize, total }) =>
    position === record && where(pageSize) ? total + record : position,
  );
}

const sets = defectsWith({
  keywords: ['page size'],
  must: ['traversal/same-records'],
  may: ['count/equals-records'],
})({
  'traversal-boundary-lost': hidden(
    'The record at each page boundary is skipped, so which records are reached depends on the page size.',
  ).by(onPages(isLinked)(movePositions(1)), nominalEndOffset),
  'traversal-other-record-below-100': subtle(
    'With page sizes below 100, one record is replaced by another that larger pages never contain.',
  ).by(replaceRecord(5, (pageSize) => pageSize < 100)),
  'traversal-other-record-alone': having({ records: 30 })
    .subtle(
      'With a page size of 1, a record in the middle is replaced by another that larger pages never contain.',
    )
    .by(replaceRecord(20, (pageSize) => pageSize === 1)),
  'traversal-other-record-from-250': subtle(
    'With page sizes from 250 on, record 800 is replaced by another that smaller pages never contain.',
  ).by(replaceRecord(800, (pageSize) => pageSize >= 250)),
  'traversal-last-page-empty': hidden(
    'A last page that would not be full is empty, so which records are reached depends on the page size.',
  ).by(
    rewrite('positions', (positions, { skip, pageSize }) =>
      skip > 0 && positions.length < pageSize ? [] : positions,
    ),
    // Counted as full, so that it has no link.
    nominalEndOffset,
  ),
  'traversal-odd-sizes-other-records': subtle(
    'With odd page sizes the last record is one that even page sizes never contain.',
  ).by(
    changeRecordAt((position, { pageSize, total }) =>
      position === total - 1 && pageSize % 2 === 1 ? total : position,
    ),
  ),
});

/** Links carry a cursor; without it, `skip` replaces the requested $skip. */
function cursor(skip: (offset: number, page: Page) => number): Change {
  return composeChanges(
    addLinkParameter('cursor', (page, service) => mix(service.steps.endOffset(page, service))),
    rewrite('skip', (offset, page) => (valuesOf(page, 'cursor').length > 0 ? offset : skip(offset, page))),
  );
}

/**
 * Links carry a cursor; without it, `change` applies to pages after the first, whose link continues where the
 * requested page ends.
 */
function cursorBesideRecords(change: Change): Change {
  return composeChanges(
    addLinkParameter('cursor', (page, service) => mix(service.steps.endOffset(page, service))),
    onPages((page) => page.skip > 0 && valuesOf(page, 'cursor').length === 0)(change),
    nominalEndOffset,
  );
}

/** The cache answers the later of two requests wrongly, and which one is later depends on the run. */
const ofJoinedDigits = {
  keywords: ['records'],
  must: ['page-size/limit'],
  may: [
    ...losesRecords,
    'traversal/no-duplicates',
    'link/present-when-more',
    'link/offset',
    'page-size/filled',
    'traversal/by-parameters',
  ],
} satisfies Traits;

const byParameters = defectsWith({ keywords: ['$skip'], must: ['traversal/by-parameters'] })({
  'parameters-skip-ignored': plain('$skip is ignored unless it comes with the cursor of a link.').by(
    cursor(() => 0),
  ),
  'parameters-skip-from-one': hidden('$skip counts from 1 unless it comes with the cursor of a link.').by(
    cursor((offset) => Math.max(0, offset - 1)),
  ),
  'parameters-skip-at-most-500': subtle('$skip is at most 500 unless it comes with the cursor of a link.').by(
    cursor((offset) => Math.min(500, offset)),
  ),
  'parameters-first-records-on-every-page': having({ keywords: ['records'] })
    .plain(
      'A page holds the first records, with the link of its $skip, unless it comes with the cursor of a link.',
    )
    .by(cursorBesideRecords(changePositions((position, { skip }) => position - skip))),
  'parameters-one-record-early-behind-600': having({ keywords: ['records'] })
    .subtle('Behind record 600, a page begins one record early unless it comes with the cursor of a link.')
    .by(cursorBesideRecords(onPages(isFrom(600))(movePositions(-1)))),
  'parameters-skip-refused': hidden('$skip is answered 400 unless it comes with the cursor of a link.').by(
    cursor((offset) => {
      if (offset > 0) throw new Refused(problem(400, 'the cursor is missing'));
      return offset;
    }),
  ),
  'parameters-skip-rounded-for-small-pages': subtle(
    '$skip is rounded down to tens for $pagesize below 30 unless it comes with the cursor of a link.',
  ).by(cursor((offset, { pageSize }) => (pageSize < 30 ? offset - (offset % 10) : offset))),
  'parameters-skip-one-less-for-middle-sizes': subtle(
    '$skip is one too low for $pagesize from 30 to 90 unless it comes with the cursor of a link.',
  ).by(
    cursor((offset, { pageSize }) => (pageSize >= 30 && pageSize <= 90 && offset > 0 ? offset - 1 : offset)),
  ),
  'pages-cached-by-sorted-values': having({
    keywords: ['different'],
    may: [...losesRecords, 'traversal/no-duplicates', 'link/present-when-more'],
  })
    .subtle(
      'A cache of pages is keyed by the values of the query in alphabetical order, without their names.',
    )
    .by(cachePages((query) => [...query.values()].toSorted().join())),
  'pages-cached-by-joined-digits': having(ofJoinedDigits)
    .subtle(
      'A cache of pages is keyed by the digits of $pagesize and $skip, which is 0 if it is left out, one after the other.',
    )
    .by(cachePages((query) => `${query.get('$count')}${query.get('$pagesize')}${query.get('$skip') ?? 0}`)),
  'parameters-skip-in-pages': hidden('$skip counts pages unless it comes with the cursor of a link.').by(
    cursor((offset, page) => offset * page.pageSize),
  ),
});

/** Defects of the set and the order of the records that pages hold. */
export const recordDefects = [...somePages, ...sets, ...byParameters, ...unstableOrders];
