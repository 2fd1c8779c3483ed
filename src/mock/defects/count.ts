import { type Defect, defectsWith, hidden, plain, subtle } from '../defect.ts';
import { has, isFirst, isFrom, isLinked, isOfSize, not, type PageTest } from '../page-tests.ts';
import type { Page } from '../pipeline.ts';
import {
  addToCount,
  changeCount,
  countOfPage,
  onPages,
  renameEnvelopeMember,
  withoutCount,
} from '../step-changes.ts';

/** Whether a page behind the first one holds the last record. */
const isLastOfSeveral: PageTest = ({ skip, positions, total }) =>
  skip > 0 && skip + positions.length >= total;

function isWholeList({ positions, total }: Page): boolean {
  return positions.length === total;
}

const presence = defectsWith({ keywords: ['count'], must: ['count/present'] })({
  'count-never': plain('count is never given.').by(withoutCount),
  'count-null': plain('count is null although it is enabled.').by(changeCount(() => null)),
  'count-text': plain('count is a string of digits instead of an integer.').by(changeCount(String)),
  'count-fraction': hidden('count is a fraction instead of an integer.').by(addToCount(0.5)),
  'count-array': hidden('count is an array holding the number instead of an integer.').by(
    changeCount((count) => [count]),
  ),
  'count-as-total': plain('The count is in a member total instead of count.').by(
    renameEnvelopeMember('count', 'total'),
  ),
  'count-capital': hidden('The count is in a member Count instead of count.').by(
    renameEnvelopeMember('count', 'Count'),
  ),
  'count-first-page-only': hidden('Only the first page gives count.').by(onPages(isLinked)(withoutCount)),
  'count-last-page-lacks-it': subtle('The last page gives no count.').by(
    onPages(isLastOfSeveral)(withoutCount),
  ),
  'count-missing-on-single-page': subtle('A page that holds the whole list gives no count.').by(
    onPages(isWholeList)(withoutCount),
    { records: 120 },
  ),
  'count-missing-when-zero': subtle('count is left out when it is 0.').by(
    changeCount((count) => (count === 0 ? undefined : count)),
    { records: 0 },
  ),
  'count-missing-without-size': subtle('Without $pagesize no count is given.').by(
    onPages(not(has('$pagesize')))(withoutCount),
  ),
  'count-missing-at-one': subtle('With a page size of 1 no count is given.').by(
    onPages(isOfSize(1))(withoutCount),
  ),
  'count-negative-when-paged': hidden('On linked pages count is -1 instead of the total.').by(
    onPages(isLinked)(changeCount(() => -1)),
    { may: ['count/stable'] },
  ),
});

const stability = defectsWith({ keywords: ['count'], must: ['count/stable'], may: ['count/equals-records'] })(
  {
    'count-of-page': plain('count is the number of records on the page instead of the total.').by(
      countOfPage,
    ),
    'count-remaining': plain('count is the number of records from this page on instead of the total.').by(
      changeCount((count, page) => Math.max(0, count - page.skip)),
    ),
    'count-of-pages': plain(
      'count is the number of pages, which changes with the page size, instead of the number of records.',
    ).by(changeCount((count, page) => Math.ceil(count / page.pageSize))),
    'count-rounded-to-page': hidden(
      'count is rounded up to whole pages, so it changes with the page size.',
    ).by(changeCount((count, page) => Math.ceil(count / page.pageSize) * page.pageSize)),
    'count-up-to-here': hidden('count is the number of records given up to this page.').by(
      changeCount((_count, page) => page.skip + page.positions.length),
    ),
    'count-estimated-on-first-page': subtle('On first pages count is one more than on linked pages.').by(
      onPages(isFirst)(addToCount(1)),
    ),
    'count-other-on-linked-pages': subtle('On linked pages count is one less than on first pages.').by(
      onPages(isLinked)(addToCount(-1)),
    ),
    'count-other-on-last-page': subtle('On the last page count is one more than on the others.').by(
      onPages(isLastOfSeveral)(addToCount(1)),
    ),
    'count-other-at-500': subtle('With a page size of 500 count is one more than with others.').by(
      onPages(isOfSize(500))(addToCount(1)),
    ),
    'count-other-at-one': subtle('With a page size of 1 count is one less than with others.').by(
      onPages(isOfSize(1))(addToCount(-1)),
    ),
    'count-other-late': subtle('From record 900 on, count is ten more than before.').by(
      onPages(isFrom(900))(addToCount(10)),
    ),
  },
);

const equality = defectsWith({ keywords: ['count'], must: ['count/equals-records'] })({
  'count-with-deleted': plain('count includes 17 deleted records that no page gives.').by(addToCount(17)),
  'count-one-more': subtle('count is one more than the number of records.').by(addToCount(1)),
  'count-one-less': subtle('count is one less than the number of records.').by(addToCount(-1)),
  'count-capped-at-1000': hidden('count is at most 1000 although there are more records.').by(
    changeCount((count) => Math.min(1000, count)),
  ),
  'count-capped-at-10000': subtle('count is at most 10000 although there are more records.').by(
    changeCount((count) => Math.min(10_000, count)),
    { records: 10_600 },
  ),
  'count-rounded': hidden('count is rounded to hundreds.').by(
    changeCount((count) => Math.round(count / 100) * 100),
  ),
  'count-zero': plain('count is always 0.').by(changeCount(() => 0)),
  'count-overflow-10': subtle('Only the lower ten bits of count are kept.').by(
    changeCount((count) => count & 1023),
  ),
  'count-of-all-tenants': hidden(
    'count includes the records of all tenants, twice the number of records in the list.',
  ).by(changeCount((count) => count * 2)),
});

/** Defects of count. */
export const countDefects: readonly Defect[] = [...presence, ...stability, ...equality];
