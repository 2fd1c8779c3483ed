import { breaks, defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import {
  has,
  isCapped,
  isCounted,
  isEncoded,
  isFrom,
  isLinked,
  isUnsized,
  not,
  type PageTest,
  requestedSize,
  requestedSizeInRange,
  sizeAboveMaximum,
} from '../page-tests.ts';
import { type Change, MAX_PAGE_SIZE, rewrite, wrap } from '../pipeline.ts';
import {
  ALL_RECORDS,
  addToRecordCount,
  changeCount,
  changePageSize,
  changeRecordCount,
  changeRecordCountAt,
  linkUntil,
  nominalEndOffset,
  onPages,
  setPageSize,
  withoutLink,
  withoutRecords,
} from '../step-changes.ts';

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
});

/** Gives all records if the text of the requested page size passes a test. */
export function giveAll(test: (text: string) => boolean): Change {
  return setPageSize(ALL_RECORDS, (page) => {
    const text = requestedSize(page);
    return text !== undefined && test(text);
  });
}

/** Does not cap pages for which more than 500 records are requested. */
function forgetMaximum(where: PageTest): Change {
  return onPages(where)(changePageSize(sizeAboveMaximum));
}

const maxima = defectsWith({ keywords: ['500'], must: ['page-size/maximum'] })({
  'maximum-none': plain('A page holds more than 500 records if more are requested.').by(
    changePageSize(sizeAboveMaximum),
  ),
  'maximum-1000': hidden('The largest page holds 1000 records instead of 500.').by(
    onPages(isCapped)(changePageSize((page) => Math.min(1000, Number(requestedSize(page))))),
  ),
  'maximum-501': subtle(
    'A page holds 501 records if 501 are requested: the limit of 500 is one too high.',
  ).by(setPageSize(501, (page) => sizeAboveMaximum(page) === 501)),
  'maximum-forgotten-with-count': subtle('With $count=true a page holds more than 500 records.').by(
    forgetMaximum(isCounted),
  ),
  'maximum-forgotten-without-count': subtle('Without $count a page holds more than 500 records.').by(
    forgetMaximum(not(isCounted)),
  ),
  'maximum-forgotten-when-encoded': subtle('With %24pagesize a page holds more than 500 records.').by(
    forgetMaximum(isEncoded('pagesize')),
  ),
  'maximum-zero-is-all': hidden('A page size of 0 gives all records, more than 500.').by(
    giveAll((text) => text === '0'),
  ),
  'maximum-negative-is-all': hidden('A negative page size gives all records, more than 500.').by(
    giveAll((text) => /^-\d+$/.test(text)),
  ),
  'maximum-text-is-all': hidden('A page size that is not a number gives all records, more than 500.').by(
    giveAll((text) => /^[a-z]+$/i.test(text)),
  ),
  'maximum-overflow-32': subtle(
    'A page size beyond 32 bits overflows to a negative number and gives all records, more than 500.',
  ).by(giveAll((text) => /^\d+$/.test(text) && Number(text) > 0x7fff_ffff)),
  'maximum-negative-32': subtle(
    'A page size whose 32 bits mean a negative number gives all records, more than 500.',
  ).by(giveAll((text) => /^\d+$/.test(text) && Number(text) < 2 ** 32 && Number(text) >= 2 ** 31)),
  'maximum-overflow-64': subtle(
    'A page size beyond 64 bits cannot be parsed and gives all records, more than 500.',
  ).by(giveAll((text) => /^\d+$/.test(text) && BigInt(text) > 0x7fff_ffff_ffff_ffffn)),
  'maximum-many-digits': subtle(
    'A page size of more than 30 digits is no longer a number and gives all records, more than 500.',
  ).by(giveAll((text) => /^\d{31,}$/.test(text))),
  'maximum-rounded-up': having({ needs: { suite: 'certify' } })
    .subtle('A fraction between 500 and 501 passes as 500, and the page holds 501 records.')
    .by(setPageSize(501, (page) => /^500\.[5-9]\d*$/.test(requestedSize(page) ?? ''))),
  'maximum-infinite': subtle('A page size that is the word Infinity gives all records, more than 500.').by(
    giveAll((text) => text === 'Infinity'),
  ),
  'maximum-compared-as-text': subtle('The maximum of 500 is compared as text, so 1000 counts as less.').by(
    forgetMaximum((page) => (requestedSize(page) ?? '') < '500'),
  ),
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
  'count-and-skip-dropped': breaks('count/present', 'count')
    .having({ may: ['link/present-when-more'] })
    .hidden('A proxy lets only $pagesize pass, so every call gives the first records without count and link.')
    .by(rewrite('parameters', (parameters) => parameters.filter(({ name }) => name === '$pagesize'))),
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
  'default-100-behind-skip': breaks('page-size/default', '100 records')
    .having({ may: [] })
    .subtle('Without $pagesize a page with a $skip holds 100 records.')
    .by(setPageSize(100, has('$skip'), isUnsized)),
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
});

const alsoShortens = ['link/offset', 'count/equals-records'] as const;

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
});

/** Defects of the default and the maximum page size, and of the number of records on a page. */
export const pageSizeDefects = [...defaults, ...maxima, ...limits, ...fillings];

/** Pages that are empty although links lead on. */
export const emptyPageDefects = defectsWith({
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
  'count-of-joined-rows': breaks('count/equals-records', '2468')
    .having({ may: ['link/absent-at-the-end', 'page-size/filled'] })
    .hidden('count and links come from a join that has each record twice, so half of the pages are empty.')
    .by(
      linkUntil((page) => 2 * page.total),
      changeCount((count) => 2 * count),
    ),
});
