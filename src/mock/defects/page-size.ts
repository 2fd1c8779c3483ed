import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type Page, type Service, valuesOf, wrap } from '../pipeline.ts';
import { changeCount, changePageSize, changeRecordCount, requestedSizeInRange } from '../step-changes.ts';

function limitDefect(
  difficulty: Difficulty,
  sentence: string,
  choose: (size: number, page: Page) => number | undefined,
  more: Partial<DefectDraft> = {},
): DefectDraft {
  return {
    sentence,
    keywords: ['record'],
    must: ['page-size/limit'],
    may: ['page-size/filled', 'page-size/maximum'],
    difficulty,
    apply: changeRecordCount((size, page) => choose(size, page) ?? size),
    ...more,
  };
}

const limits = defectsOf({
  'limit-ignored': limitDefect(
    'plain',
    '$pagesize is ignored: every page holds 500 records.',
    () => undefined,
    {
      apply: changePageSize((page) => (requestedSizeInRange(page) === undefined ? undefined : MAX_PAGE_SIZE)),
      may: ['page-size/filled', 'link/query'],
    },
  ),
  'limit-one-more': limitDefect(
    'plain',
    'Every page holds one record more than requested.',
    (size) => size + 1,
  ),
  'limit-ignored-without-count': limitDefect(
    'hidden',
    'Without $count the page size is ignored and a page holds 500 records.',
    (_size, page) => (page.counting ? undefined : MAX_PAGE_SIZE),
  ),
  'limit-ignored-with-count': limitDefect(
    'hidden',
    'With $count=true the page size is ignored and a page holds 500 records.',
    (_size, page) => (page.counting ? MAX_PAGE_SIZE : undefined),
  ),
  'limit-one-ignored': limitDefect('hidden', 'A page size of 1 gives a page of 500 records.', (size) =>
    size === 1 ? MAX_PAGE_SIZE : undefined,
  ),
  'limit-at-least-ten': limitDefect(
    'hidden',
    'A page holds at least 10 records, even if fewer are requested.',
    (size) => Math.max(10, size),
  ),
  'limit-rounded-to-tens': limitDefect(
    'hidden',
    'The number of records on a page is rounded up to a multiple of ten.',
    (size) => Math.min(MAX_PAGE_SIZE, Math.ceil(size / 10) * 10),
  ),
  'limit-501-at-500': limitDefect(
    'subtle',
    'A page of 500 holds 501 records; all other sizes are correct.',
    (size) => (size === 500 ? 501 : undefined),
  ),
  'default-100-behind-skip': {
    sentence: 'Without $pagesize a page with a $skip holds 100 records.',
    keywords: ['100 records'],
    must: ['page-size/default'],
    apply: changePageSize((page) =>
      valuesOf(page, '$skip').length > 0 && valuesOf(page, '$pagesize').length === 0 ? 100 : undefined,
    ),
  },
  'limit-twenty-between-eleven-and-nineteen': limitDefect(
    'subtle',
    'A page size from 11 to 19 gives 20 records; all other sizes are correct.',
    (size) => (size > 10 && size < 20 ? 20 : undefined),
  ),
  'limit-broken-at-128': limitDefect(
    'subtle',
    'A page size of 128 gives 129 records; all other sizes are correct.',
    (size) => (size === 128 ? 129 : undefined),
  ),
  'limit-overflow-8': limitDefect(
    'subtle',
    'A page size of 256 overflows to 0 in one byte, which counts as not given, and gives 500 records.',
    (size) => (size === 256 ? MAX_PAGE_SIZE : undefined),
  ),
  'limit-one-more-on-linked-pages': limitDefect(
    'subtle',
    'Linked pages hold one record more than requested; first pages are correct.',
    (size, page) => (page.skip > 0 ? size + 1 : undefined),
  ),
});

function filledDefect(
  difficulty: Difficulty,
  sentence: string,
  choose: (size: number, page: Page) => number | undefined,
): DefectDraft {
  return {
    sentence,
    keywords: ['record'],
    must: ['page-size/filled'],
    difficulty,
    apply: changeRecordCount((size, page) => choose(size, page) ?? size),
  };
}

const fillings = defectsOf({
  'filled-one-less': filledDefect(
    'plain',
    'Every page holds one record fewer than requested.',
    (size) => size - 1,
  ),
  'filled-at-most-100': filledDefect('plain', 'A page never holds more than 100 records.', (size) =>
    Math.min(100, size),
  ),
  'filled-500-gives-100': filledDefect(
    'subtle',
    'The maximum is 499: a page size of 500 gives 100 records.',
    (size) => (size === 500 ? 100 : undefined),
  ),
  'filled-499-is-most': filledDefect('subtle', 'A page size of 500 gives 499 records.', (size) =>
    Math.min(499, size),
  ),
  'filled-broken-at-250': filledDefect(
    'subtle',
    'A page size of 250 gives 249 records; all other sizes are correct.',
    (size) => (size === 250 ? 249 : undefined),
  ),
  'filled-broken-at-2': filledDefect(
    'subtle',
    'A page size of 2 gives 1 record; all other sizes are correct.',
    (size) => (size === 2 ? 1 : undefined),
  ),
  'filled-at-most-250-without-count': filledDefect(
    'subtle',
    'Without $count a page never holds more than 250 records.',
    (size, page) => (page.counting ? undefined : Math.min(250, size)),
  ),
  'filled-less-on-linked-pages': filledDefect(
    'subtle',
    'Linked pages hold one record fewer than requested; first pages are correct.',
    (size, page) => (page.skip > 0 ? size - 1 : undefined),
  ),
  'filled-half-late': filledDefect(
    'subtle',
    'From record 400 on, pages hold half of the requested records.',
    (size, page) => (page.skip >= 400 ? Math.ceil(size / 2) : undefined),
  ),
  'filled-hidden-after-limit': {
    sentence:
      'Hidden records are removed after the page was cut, so pages hold fewer records than requested.',
    keywords: ['record'],
    must: ['page-size/filled'],
    may: ['page-size/default', 'link/offset', 'count/equals-records'],
    difficulty: 'hidden',
    apply: (steps) => ({
      ...steps,
      slice: (page, service) => steps.slice(page, service).filter((position) => position % 13 !== 5),
      // Links count the hidden records.
      endOffset: (page) => Math.min(page.skip + page.pageSize, page.total),
      count: (page, service) => {
        const count = steps.count(page, service);
        return typeof count === 'number' ? count - Math.floor((page.total + 7) / 13) : count;
      },
    }),
  },
  'filled-cut-by-exception': {
    sentence:
      'Record 300 cannot be serialised and ends its page, so that page holds fewer records than requested.',
    keywords: ['record'],
    must: ['page-size/filled'],
    may: ['page-size/default', 'link/offset', 'traversal/same-records', 'count/equals-records'],
    apply: (steps) => ({
      ...steps,
      slice: (page, service) => {
        const positions = steps.slice(page, service);
        const broken = positions.indexOf(300);
        return broken < 0 ? positions : positions.slice(0, broken);
      },
      endOffset: (page) => Math.min(page.skip + page.pageSize, page.total),
    }),
  },
});

/** Defects of the number of records on a page. */
export const pageSizeDefects: readonly Defect[] = [...limits, ...fillings];

/** Links computed by arithmetic up to `total`, as if every page were full. */
function linkUntil(total: (page: Page, service: Service) => number): Change {
  return composeChanges(
    wrap('endOffset', () => (page) => page.skip + page.pageSize),
    wrap('more', () => (page, service) => page.counting && page.skip + page.pageSize < total(page, service)),
  );
}

const filled = 'page-size/filled';

/** Pages that are empty although links lead on. */
export const emptyPageDefects: readonly Defect[] = defectsOf({
  'rows-between-skip-and-size': {
    sentence:
      'A page holds the records between $skip and $pagesize, so every page except the first is empty.',
    keywords: ['holds 0 records'],
    must: [filled],
    may: ['traversal/same-records', 'traversal/by-parameters', 'count/equals-records'],
    difficulty: 'hidden',
    apply: composeChanges(
      linkUntil((page) => page.total),
      wrap('slice', () => (page) => {
        const length = Math.max(0, Math.min(page.pageSize, page.total) - page.skip);
        return Array.from({ length }, (_, index) => page.skip + index);
      }),
    ),
  },
  'window-of-2000-swallowed': {
    sentence: 'A page that reaches beyond record 2000 is empty: an error of the search index is ignored.',
    keywords: ['holds 0 records'],
    must: [filled],
    may: ['traversal/same-records', 'traversal/by-parameters', 'count/equals-records'],
    records: 2600,
    apply: composeChanges(
      linkUntil((page) => page.total),
      wrap(
        'slice',
        (slice) => (page, service) => (page.skip + page.pageSize > 2000 ? [] : slice(page, service)),
      ),
    ),
  },
  'count-of-joined-rows': {
    sentence: 'count and links come from a join that has each record twice, so half of the pages are empty.',
    keywords: ['2468'],
    must: ['count/equals-records'],
    may: ['link/absent-at-the-end', filled],
    difficulty: 'hidden',
    apply: composeChanges(
      linkUntil((page) => 2 * page.total),
      changeCount((count) => 2 * count),
    ),
  },
});
