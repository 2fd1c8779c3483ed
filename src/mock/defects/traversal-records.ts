import type { RequirementId } from '../../core/requirement-id.ts';
import { amongWorkers } from '../authorization-changes.ts';
import { defectsWith, having, hidden, subtle, type Traits } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, everyNth, rewrite } from '../changes.ts';
import { changeDuringReads, every, moveToEnd, moveToFront } from '../data-changes.ts';
import {
  changeFirstPosition,
  changeItems,
  changePositions,
  changeRecordAt,
  has,
  isCapped,
  isCounted,
  isDeepAndSmall,
  isEncodedAndCapped,
  isFrom,
  isLinked,
  movePositions,
  nominalEndOffset,
  not,
  onPages,
} from '../page-changes.ts';
import type { Page } from '../pipeline.ts';
import { mix } from '../records.ts';
import { forSecondClient } from '../token-changes.ts';

/** Gives the first record of pages in the place of the second one, too. */
const firstRecordTwice = rewrite('positions', (positions) =>
  positions.length > 1 ? positions.with(1, positions[0] ?? 0) : positions,
);

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
const losesRecords: readonly RequirementId[] = ['traversal/same-records', 'count/equals-records'];
const alsoLosesRecords = having({ may: losesRecords });

const alsoOthers = { may: [...losesRecords, 'traversal/by-parameters'] } as const;
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
  'uncounted-page-gives-first-record-twice': subtle(
    'A page with $skip and without $count gives its first record twice.',
  ).by(onPages(not(isCounted), has('$skip'))(firstRecordTwice)),
  'capped-page-gives-first-record-twice': subtle(
    'A page of 500 records for a $pagesize above 500 gives its first record twice.',
  ).by(onPages(isCapped)(firstRecordTwice)),
  'encoded-capped-page-gives-first-record-twice': subtle(
    'A page gives its first record twice if %24pagesize is above 500.',
  ).by(onPages(isEncodedAndCapped)(firstRecordTwice)),
});

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

/** One of two workers has another record at each position. */
function orderOfOneWorker(recordAt: (position: number, total: number) => number): Change {
  return amongWorkers(2, (workerOf) =>
    onPages(({ request }) => workerOf(request) === 1)(
      changePositions((position, { total }) => recordAt(position, total)),
    ),
  );
}

/** Orders and offsets that differ between some pages, away from those that most traversals reach. */
const somePages = defectsWith(duplicates)({
  'ties-turn-behind-600': subtle(
    'Pages that begin behind record 600 give ties among the records 701 to 740 in the other order.',
  ).by(onPages(isFrom(600))(turnPairs(700, 740))),
  'ties-turn-with-skip': subtle(
    'Pages that are requested by $skip give ties among the records 101 to 160 in the other order.',
  ).by(onPages(isLinked)(turnPairs(100, 160))),
  'offset-low-for-middle-sizes': subtle(
    'With a page size from 20 to 90, pages behind the first one begin one record too early.',
  ).by(shiftInBand(-1)),
  'second-client-first-record-again': having({
    keywords: ['second provider'],
    may: ['traversal/by-parameters', 'traversal/same-records'],
  })
    .subtle('For the second client each page behind the first one begins with the first record.')
    .by(forSecondClient(onPages(isLinked)(changeFirstPosition(() => 0)))),
  'worker-reverses-order': having({ may: ['traversal/by-parameters'], needs: { order: true } })
    .subtle('One of two workers gives the list in the reverse order.')
    .by(orderOfOneWorker((position, total) => total - 1 - position)),
  'worker-begins-in-the-middle': having({ may: ['traversal/by-parameters'], needs: { order: true } })
    .subtle('One of two workers gives the list from its middle on, and then the records before it.')
    .by(orderOfOneWorker((position, total) => (position + Math.floor(total / 2)) % total)),
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

/** Pages begin with a record that is not in the list. */
const beginElsewhere: Change = changeFirstPosition((page) => page.total + 5);

/** A page that holds the last record has no link. */
const endWithLastRecord: Change = rewrite(
  'more',
  (hasMore, { positions, total }) => hasMore && (positions.at(-1) ?? 0) < total - 1,
);

/** Replaces one record of the pages of some sizes by another that pages of other sizes never contain. */
function replaceRecord(record: number, where: (pageSize: number) => boolean): Change {
  return changeRecordAt((position, { pageSize, total }) =>
    position === record && where(pageSize) ? total + record : position,
  );
}

const endsEarly = ['count/equals-records', 'count/stable', 'traversal/by-parameters'] as const;

/** Ends the list after `most` records for page sizes up to a largest one. */
function endEarlyUpTo(largest: number, most: number): Change {
  return rewrite('total', (total, { pageSize }) => (pageSize <= largest ? Math.min(total, most) : total));
}

const sets = defectsWith({
  keywords: ['page size'],
  must: ['traversal/same-records'],
  may: ['count/equals-records'],
})({
  'traversal-boundary-lost': hidden(
    'The record at each page boundary is skipped, so which records are reached depends on the page size.',
  ).by(onPages(isLinked)(movePositions(1)), nominalEndOffset),
  'pages-behind-first-begin-late': having({
    may: ['count/equals-records', 'traversal/by-parameters', 'link/offset'],
  })
    .hidden(
      'Each page behind the first begins one record late, and the one with the last record has no link.',
    )
    .by(onPages(({ skip }) => skip > 0)(movePositions(1)), endWithLastRecord),
  'deep-pages-begin-two-late': having({
    may: ['count/equals-records', 'traversal/by-parameters', 'link/offset'],
  })
    .subtle('From record 700 on, pages begin two records late, and the one with the last record has no link.')
    .by(onPages(({ skip }) => skip >= 700)(movePositions(2)), endWithLastRecord),
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
  'small-pages-end-at-1000': having({ may: endsEarly })
    .hidden('Page sizes up to 50 reach only the first 1,000 records.')
    .by(endEarlyUpTo(50, 1000)),
  'one-digit-sizes-end-at-1100': having({ may: endsEarly })
    .subtle('Page sizes below 10 reach only the first 1,100 records.')
    .by(endEarlyUpTo(9, 1100)),
  'deep-small-pages-foreign-record': having({ keywords: ['never reaches'], may: [] })
    .subtle(
      'A page of fewer than 60 records with a $skip of 1,000 or more begins with a record that no other page gives.',
    )
    .by(onPages(isDeepAndSmall)(beginElsewhere)),
  'unaligned-pages-foreign-record': having({ keywords: ['never reaches'], may: ['traversal/by-parameters'] })
    .subtle(
      'A page whose $skip is not a multiple of its $pagesize begins with a record that no other page gives.',
    )
    .by(onPages(({ pageSize, skip }) => skip % pageSize > 0)(beginElsewhere)),
  'records-others-without-count': having({ keywords: ['record'], may: ['traversal/by-parameters'] })
    .subtle('Without $count the list gives different records than with it.')
    .by(onPages(not(isCounted))(changeRecordAt((position, page) => position + page.total))),
  'offset-high-for-middle-sizes': having({
    keywords: ['record'],
    may: ['traversal/by-parameters', 'count/equals-records'],
  })
    .subtle('With a page size from 20 to 90, pages behind the first one begin one record too late.')
    .by(shiftInBand(1), nominalEndOffset),
  'record-left-out-before-page-21': having({
    keywords: ['record'],
    may: ['traversal/by-parameters', 'count/equals-records', 'page-size/filled', 'link/absent-at-the-end'],
  })
    .subtle('From page 21 on, pages begin one record too late, for every page size.')
    .by(onPages(({ pageSize, skip }) => skip >= 20 * pageSize)(movePositions(1)), nominalEndOffset),
});

export const traversalRecordDefects = [...repeated, ...somePages, ...unstableOrders, ...sets];
