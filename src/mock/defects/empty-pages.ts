import { type Defect, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type Page, type Service, wrap } from '../pipeline.ts';
import { changeCount } from '../step-changes.ts';

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
    sentence: 'A page holds the records between $skip and $pagesize, so every page but the first is empty.',
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
