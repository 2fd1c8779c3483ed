import { bearerOf } from '../authorization-changes.ts';
import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { counting, everyNth, rewrite, withState, wrap } from '../changes.ts';
import { growing } from '../data-changes.ts';
import {
  ALL_RECORDS,
  addToRecordCount,
  cachePages,
  changeCount,
  changeRecordCount,
  changeRecordCountAt,
  has,
  hasUnknownParameter,
  isCapped,
  isCounted,
  isCountFalse,
  isFrom,
  isLinked,
  isUnsized,
  linkUntil,
  nominalEndOffset,
  not,
  onPages,
  refusePages,
  requestedSize,
  requestedSizeInRange,
  setPageSize,
  withoutLink,
  withoutRecords,
} from '../page-changes.ts';
import { MAX_PAGE_SIZE } from '../pipeline.ts';
import { forSecondClient } from '../token-changes.ts';

const exceedsMaximum = having({ may: ['page-size/maximum'] });

const defaults = defectsWith({ keywords: ['500'], must: ['page-size/default'] })({
  'default-100': plain('Without $pagesize a page holds 100 records instead of 500.').by(
    setPageSize(100, isUnsized),
  ),
  'default-everything': exceedsMaximum
    .plain('Without $pagesize a page holds all records instead of 500.')
    .by(setPageSize(ALL_RECORDS, isUnsized)),
  'default-nothing': hidden(
    'Without $pagesize a page holds no record and no link, and its count is right.',
  ).by(withoutRecords(isUnsized), withoutLink(isUnsized)),
  'default-nothing-with-count': hidden('With $count=true and without $pagesize a page holds no record.').by(
    withoutRecords(isUnsized, isCounted),
    withoutLink(isUnsized, isCounted),
  ),
  'default-zero': hidden(
    'A missing $pagesize is read as 0, so a page holds no record, and its link leads to itself.',
  ).by(setPageSize(0, (page) => Number(requestedSize(page) ?? '0') === 0)),
  'default-499': hidden('Without $pagesize a page holds 499 records instead of 500.').by(
    setPageSize(499, isUnsized),
  ),
  'default-501': exceedsMaximum
    .hidden('Without $pagesize a page holds 501 records instead of 500.')
    .by(setPageSize(501, isUnsized)),
  'default-100-with-count': subtle(
    'If $count is true, a page without $pagesize holds 100 records instead of 500.',
  ).by(setPageSize(100, isUnsized, isCounted)),
  'default-100-without-count': subtle(
    'If $count is not set, a page without $pagesize holds 100 records instead of 500.',
  ).by(setPageSize(100, isUnsized, not(isCounted))),
  'growing-default-100': having({ keywords: ['100 records'], needs: { order: true } })
    .subtle('A record is added at every fifth read, and without $pagesize a page holds 100 records.')
    .by(growing(setPageSize(100, isUnsized))),
  'default-250-every-third-time': having({ keywords: ['250'], needs: { order: true } })
    .subtle('Every third page that is requested without $pagesize holds 250 records.')
    .by(onPages(isUnsized)(everyNth(3)(setPageSize(250)))),
  'default-100-behind-skip': having({ keywords: ['100 records'] })
    .subtle('Without $pagesize a page with a $skip holds 100 records.')
    .by(setPageSize(100, has('$skip'), isUnsized)),
  'default-50-count-false': having({ keywords: ['50'] })
    .subtle('Without $pagesize and with $count=false a page holds 50 records.')
    .by(setPageSize(50, isCountFalse, isUnsized)),
  'page-size-of-the-call-before': having({
    // Pages without $pagesize then hold other records than the linked ones.
    may: ['traversal/by-parameters'],
    needs: { order: true },
  })
    .subtle('Without $pagesize the page size of the previous call with the same token is used.')
    .by(
      withState(Map<string, number>, (last) =>
        rewrite('pageSize', (size, page, service) => {
          const token = bearerOf(page.request, service);
          if (isUnsized(page, service)) return last.get(token) ?? size;
          last.set(token, size);
          return size;
        }),
      ),
    ),
  'second-client-default-200': having({ keywords: ['second provider'], may: ['page-size/filled'] })
    .subtle('Without $pagesize the second client is given 200 records a page.')
    .by(forSecondClient(setPageSize(200, isUnsized))),
});

const limits = defectsWith({
  keywords: ['record'],
  must: ['page-size/limit'],
  may: ['page-size/filled', 'page-size/maximum'],
})({
  'limit-ignored': having({ may: ['page-size/filled', 'link/query'] })
    .plain('$pagesize is ignored: every page holds 500 records.')
    .by(setPageSize(MAX_PAGE_SIZE, (page) => requestedSizeInRange(page) !== undefined)),
  'limit-query-dropped': having({ may: ['count/present'] })
    .plain('A proxy drops the query, so every call gives the first 500 records without count and link.')
    .by(rewrite('parameters', () => [])),
  'limit-query-dropped-at-100': having({ may: ['count/present'] })
    .hidden('A proxy drops the query, so every call gives the first 100 records without count and link.')
    .by(
      rewrite('parameters', () => []),
      setPageSize(100),
    ),
  'limit-one-more': plain('Every page holds one record more than requested.').by(addToRecordCount(1)),
  'limit-ignored-without-count': hidden(
    'Without $count the page size is ignored and a page holds 500 records.',
  ).by(changeRecordCount((_size, page) => (page.counting ? undefined : MAX_PAGE_SIZE))),
  'limit-ignored-with-count': hidden(
    'With $count=true the page size is ignored and a page holds 500 records.',
  ).by(changeRecordCount((_size, page) => (page.counting ? MAX_PAGE_SIZE : undefined))),
  'limit-ignored-from-300-without-count': subtle(
    'Without $count a page size from 300 up is ignored and a page holds 500 records.',
  ).by(changeRecordCount((size, page) => (page.counting || size < 300 ? undefined : MAX_PAGE_SIZE))),
  'limit-one-ignored': hidden('A page size of 1 gives a page of 500 records.').by(
    changeRecordCountAt(1, MAX_PAGE_SIZE),
  ),
  'limit-at-least-ten': hidden('A page holds at least 10 records, even if fewer are requested.').by(
    changeRecordCount((size) => Math.max(10, size)),
  ),
  'limit-rounded-to-tens': hidden('The number of records on a page is rounded up to a multiple of ten.').by(
    changeRecordCount((size) => Math.min(MAX_PAGE_SIZE, Math.ceil(size / 10) * 10)),
  ),
  'limit-501-at-500': subtle('A page of 500 holds 501 records; all other sizes are correct.').by(
    changeRecordCountAt(500, 501),
  ),
  'limit-twenty-between-eleven-and-nineteen': subtle(
    'A page size from 11 to 19 gives 20 records; all other sizes are correct.',
  ).by(changeRecordCount((size) => (size > 10 && size < 20 ? 20 : undefined))),
  'limit-broken-at-128': subtle('A page size of 128 gives 129 records; all other sizes are correct.').by(
    changeRecordCountAt(128, 129),
  ),
  'limit-overflow-8': subtle(
    'A page size of 256 overflows to 0 in one byte, which counts as not given, and gives 500 records.',
  ).by(changeRecordCountAt(256, MAX_PAGE_SIZE)),
  'limit-one-more-on-linked-pages': subtle(
    'Linked pages hold one record more than requested; first pages are correct.',
  ).by(onPages(isLinked)(addToRecordCount(1))),
  'page-one-more-every-third-time': having({ keywords: ['holds'], may: [], needs: { order: true } })
    .subtle('Every third page of 2 to 20 records holds one record too many.')
    .by(
      counting((number) =>
        rewrite('pageSize', (size) => (size >= 2 && size <= 20 && number() % 3 === 0 ? size + 1 : size)),
      ),
    ),
  'pages-cached-by-joined-digits': having({
    keywords: ['records'], // The cache answers the later of two requests wrongly, and which one is later depends on the run.
    may: [
      'traversal/same-records',
      'count/equals-records',
      'traversal/no-duplicates',
      'link/present-when-more',
      'link/offset',
      'page-size/filled',
      'traversal/by-parameters',
    ],
  })
    .subtle(
      'A cache of pages is keyed by the digits of $pagesize and $skip, which is 0 if it is left out, one after the other.',
    )
    .by(cachePages((query) => `${query.get('$count')}${query.get('$pagesize')}${query.get('$skip') ?? 0}`)),
  'limit-none-for-unknown-parameters': having({
    keywords: ['500 records'],
    may: [],
    needs: { observations: true },
  })
    .subtle('$pagesize has no effect if the query has a parameter that the API does not know.')
    .by(setPageSize(MAX_PAGE_SIZE, hasUnknownParameter)),
  'page-size-ignored-count-false': having({ keywords: ['$count=false', 'at most'], may: [] })
    .subtle('$pagesize has no effect if $count is false.')
    .by(setPageSize(MAX_PAGE_SIZE, isCountFalse)),
});

const alsoShortens = ['link/offset', 'count/equals-records'] as const;

/** The page sizes that a list with a menu of sizes offers. */
const SIZES_OF_MENU: readonly number[] = [10, 25, 50, 100, 250, 500];

const fillings = defectsWith({ keywords: ['record'], must: ['page-size/filled'] })({
  'filled-one-less': plain('Every page holds one record fewer than requested.').by(addToRecordCount(-1)),
  'filled-at-most-100': plain('A page never holds more than 100 records.').by(
    changeRecordCount((size) => Math.min(100, size)),
  ),
  'filled-500-gives-100': subtle('The maximum is 499: a page size of 500 gives 100 records.').by(
    changeRecordCountAt(500, 100),
  ),
  'filled-499-is-most': subtle('A page size of 500 gives 499 records.').by(changeRecordCountAt(500, 499)),
  'filled-broken-at-250': subtle('A page size of 250 gives 249 records; all other sizes are correct.').by(
    changeRecordCountAt(250, 249),
  ),
  'filled-broken-at-2': subtle('A page size of 2 gives 1 record; all other sizes are correct.').by(
    changeRecordCountAt(2, 1),
  ),
  'filled-at-most-250-without-count': subtle('Without $count a page never holds more than 250 records.').by(
    onPages(not(isCounted))(changeRecordCount((size) => Math.min(250, size))),
  ),
  'filled-less-on-linked-pages': subtle(
    'Linked pages hold one record fewer than requested; first pages are correct.',
  ).by(onPages(isLinked)(addToRecordCount(-1))),
  'filled-less-in-short-list': having({ records: 100 })
    .subtle(
      'In a list of 100 records, pages that begin behind the first one hold one record fewer than requested.',
    )
    .by(onPages(isLinked)(addToRecordCount(-1))),
  'page-size-below-10-refused': having({ keywords: ['400'] })
    .hidden('A $pagesize below 10 is answered 400.')
    .by(refusePages(400, 'the page is too small', ({ pageSize }) => pageSize < 10)),
  'page-size-off-the-menu-refused': having({ keywords: ['400'] })
    .hidden('A $pagesize other than 10, 25, 50, 100, 250 and 500 is answered 400.')
    .by(refusePages(400, 'no such page size', ({ pageSize }) => !SIZES_OF_MENU.includes(pageSize))),
  'filled-half-late': subtle('From record 400 on, pages hold half of the requested records.').by(
    onPages(isFrom(400))(changeRecordCount((size) => Math.ceil(size / 2))),
  ),
  'filled-hidden-after-limit': having({ may: alsoShortens })
    .hidden('Hidden records are removed after the page was cut, so pages hold fewer records than requested.')
    .by(
      rewrite('positions', (positions) => positions.filter((position) => position % 13 !== 5)),
      // Links count the hidden records.
      nominalEndOffset,
      changeCount((count, page) => count - Math.floor((page.total + 7) / 13)),
    ),
  'filled-hidden-on-second-small-page': subtle(
    'With a page size below 20, the second page loses a record after it was cut, which its link counts.',
  ).by(
    rewrite('positions', (positions, { pageSize, skip }) =>
      pageSize < 20 && skip === pageSize ? positions.toSpliced(1, 1) : positions,
    ),
    nominalEndOffset,
  ),
  'filled-last-record-of-early-pages-hidden': subtle(
    'With a page size below 50, linked pages before record 100 lose their last record, which their links count.',
  ).by(
    rewrite('positions', (positions, { pageSize, skip }) =>
      pageSize < 50 && skip > 0 && skip < 100 ? positions.slice(0, -1) : positions,
    ),
    nominalEndOffset,
  ),
  'filled-cut-by-exception': having({
    may: ['page-size/default', 'link/offset', 'traversal/same-records', 'count/equals-records'],
  })
    .subtle(
      'Record 300 cannot be serialised and ends its page, so that page holds fewer records than requested.',
    )
    .by(
      rewrite('positions', (positions) => {
        const broken = positions.indexOf(300);
        return broken < 0 ? positions : positions.slice(0, broken);
      }),
      nominalEndOffset,
    ),
  'capped-one-short': subtle('If more than 500 records are requested, a page holds 499.').by(
    onPages(isCapped)(rewrite('positions', (positions) => positions.slice(0, MAX_PAGE_SIZE - 1))),
  ),
  'growing-one-less': having({ needs: { order: true } })
    .subtle('A record is added at every fifth read, and every page holds one record fewer than requested.')
    .by(growing(addToRecordCount(-1))),
  'other-token-gets-an-empty-page': having({ keywords: ['0 records'], needs: { order: true } })
    .subtle(
      'From its third use on a first page is empty for a token if another one was given it just before.',
    )
    .by(
      withState(Map<string, readonly string[]>, (uses) =>
        rewrite('positions', (positions, page, service) => {
          const { target } = page.request;
          const isCached = page.counting && page.skip === 0 && has('$pagesize')(page, service);
          const token = bearerOf(page.request, service);
          const before = uses.get(target) ?? [];
          uses.set(target, [...before, token]);
          return isCached && before.length > 1 && before.at(-1) !== token ? [] : positions;
        }),
      ),
    ),
});

/** Pages that are empty although links lead on. */
const emptyPages = defectsWith({
  keywords: ['holds 0 records'],
  must: ['page-size/filled'],
  may: ['traversal/same-records', 'traversal/by-parameters', 'count/equals-records'],
})({
  'rows-between-skip-and-size': hidden(
    'A page holds the records between $skip and $pagesize, so every page except the first is empty.',
  ).by(
    linkUntil((page) => page.total),
    wrap('positions', () => (page) => {
      const length = Math.max(0, Math.min(page.pageSize, page.total) - page.skip);
      return Array.from({ length }, (_, index) => page.skip + index);
    }),
  ),
  'window-of-2000-swallowed': having({ records: 2600 })
    .subtle('A page that reaches beyond record 2000 is empty: an error of the search index is ignored.')
    .by(
      linkUntil((page) => page.total),
      withoutRecords((page) => page.skip + page.pageSize > 2000),
    ),
  'window-of-2000-ends-the-list': having({ records: 2600 })
    .subtle(
      'Pages from record 2000 on are empty and have no nextPageLink: that is all the search index shows.',
    )
    .by(withoutLink(isFrom(2000)), withoutRecords(isFrom(2000))),
});

const emptySizes = defectsWith({ keywords: ['0 records'], must: ['page-size/filled'] })({
  'pages-of-one-empty': hidden('A page is empty if $pagesize is 1.').by(
    linkUntil((page) => page.total),
    withoutRecords((page) => page.pageSize === 1),
  ),
  'pages-of-one-or-two-empty': subtle('A page is empty and has no link if $pagesize is 1 or 2.').by(
    withoutLink((page) => page.pageSize <= 2),
    withoutRecords((page) => page.pageSize <= 2),
  ),
});

export const pageSizeDefects = [...defaults, ...limits, ...fillings, ...emptyPages, ...emptySizes];
