import type { RequirementId } from '../../core/requirement-id.ts';
import type { DefectDraft, Difficulty } from '../defect.ts';
import type { Change, Page, Service } from '../pipeline.ts';
import { changeCount, changeEnvelope } from '../step-changes.ts';

function defect(
  must: RequirementId,
  id: string,
  difficulty: Difficulty,
  sentence: string,
  rewrite: (value: number, page: Page, service: Service) => unknown,
  rest: Partial<DefectDraft> = {},
): DefectDraft {
  return {
    id,
    sentence,
    keywords: ['count'],
    must: [must],
    difficulty,
    apply: changeCount(rewrite),
    ...rest,
  };
}

function underName(name: string): Change {
  return changeEnvelope(({ count, ...members }) => ({ ...members, [name]: count }));
}

const present = 'count/present';

const presence: readonly DefectDraft[] = [
  defect(present, 'count-never', 'plain', 'count is never given.', () => undefined),
  defect(present, 'count-null', 'plain', 'count is null although it is enabled.', () => null),
  defect(present, 'count-text', 'plain', 'count is a string of digits instead of an integer.', (value) =>
    String(value),
  ),
  defect(
    present,
    'count-fraction',
    'hidden',
    'count is a fraction instead of an integer.',
    (value) => value + 0.5,
  ),
  defect(
    present,
    'count-array',
    'hidden',
    'count is an array holding the number instead of an integer.',
    (value) => [value],
  ),
  defect(
    present,
    'count-as-total',
    'plain',
    'The count is in a member total instead of count.',
    (value) => value,
    { apply: underName('total') },
  ),
  defect(
    present,
    'count-capital',
    'hidden',
    'The count is in a member Count instead of count.',
    (value) => value,
    { apply: underName('Count') },
  ),
  defect(present, 'count-first-page-only', 'hidden', 'Only the first page gives count.', (value, page) =>
    page.skip > 0 ? undefined : value,
  ),
  defect(present, 'count-last-page-lacks-it', 'subtle', 'The last page gives no count.', (value, page) =>
    page.skip > 0 && page.skip + page.positions.length >= page.total ? undefined : value,
  ),
  defect(
    present,
    'count-missing-on-single-page',
    'subtle',
    'A page that holds the whole list gives no count.',
    (value, page) => (page.positions.length === page.total ? undefined : value),
    { records: 120 },
  ),
  defect(
    present,
    'count-missing-when-zero',
    'subtle',
    'count is left out when it is 0.',
    (value) => (value === 0 ? undefined : value),
    { records: 0 },
  ),
  defect(
    present,
    'count-missing-without-size',
    'subtle',
    'Without $pagesize no count is given.',
    (value, page) => (page.parameters.some(({ name }) => name === '$pagesize') ? value : undefined),
  ),
  defect(
    present,
    'count-missing-at-one',
    'subtle',
    'With a page size of 1 no count is given.',
    (value, page) => (page.pageSize === 1 ? undefined : value),
  ),
  defect(
    present,
    'count-negative-when-paged',
    'hidden',
    'On linked pages count is -1 instead of the total.',
    (value, page) => (page.skip > 0 ? -1 : value),
    { may: ['count/stable'] },
  ),
];

const unstable: Partial<DefectDraft> = { may: ['count/equals-records'] };
const stable = 'count/stable';

const stability: readonly DefectDraft[] = [
  defect(
    stable,
    'count-of-page',
    'plain',
    'count is the number of records on the page instead of the total.',
    (_value, page) => page.positions.length,
    unstable,
  ),
  defect(
    stable,
    'count-remaining',
    'plain',
    'count is the number of records from this page on instead of the total.',
    (value, page) => Math.max(0, value - page.skip),
    unstable,
  ),
  defect(
    stable,
    'count-of-pages',
    'plain',
    'count is the number of pages, which changes with the page size, instead of the number of records.',
    (value, page) => Math.ceil(value / page.pageSize),
    unstable,
  ),
  defect(
    stable,
    'count-rounded-to-page',
    'hidden',
    'count is rounded up to whole pages, so it changes with the page size.',
    (value, page) => Math.ceil(value / page.pageSize) * page.pageSize,
    unstable,
  ),
  defect(
    stable,
    'count-up-to-here',
    'hidden',
    'count is the number of records given up to this page.',
    (_value, page) => page.skip + page.positions.length,
    unstable,
  ),
  defect(
    stable,
    'count-estimated-on-first-page',
    'subtle',
    'On first pages count is one more than on linked pages.',
    (value, page) => (page.skip === 0 ? value + 1 : value),
    unstable,
  ),
  defect(
    stable,
    'count-other-on-linked-pages',
    'subtle',
    'On linked pages count is one less than on first pages.',
    (value, page) => (page.skip > 0 ? value - 1 : value),
    unstable,
  ),
  defect(
    stable,
    'count-other-on-last-page',
    'subtle',
    'On the last page count is one more than on the others.',
    (value, page) => (page.skip > 0 && page.skip + page.positions.length >= page.total ? value + 1 : value),
    unstable,
  ),
  defect(
    stable,
    'count-other-at-500',
    'subtle',
    'With a page size of 500 count is one more than with others.',
    (value, page) => (page.pageSize === 500 ? value + 1 : value),
    unstable,
  ),
  defect(
    stable,
    'count-other-at-one',
    'subtle',
    'With a page size of 1 count is one less than with others.',
    (value, page) => (page.pageSize === 1 ? value - 1 : value),
    unstable,
  ),
  defect(
    stable,
    'count-other-late',
    'subtle',
    'From record 900 on, count is ten more than before.',
    (value, page) => (page.skip >= 900 ? value + 10 : value),
    unstable,
  ),
];

const equal = 'count/equals-records';

const equality: readonly DefectDraft[] = [
  defect(
    equal,
    'count-with-deleted',
    'plain',
    'count includes 17 deleted records that no page gives.',
    (value) => value + 17,
  ),
  defect(
    equal,
    'count-one-more',
    'subtle',
    'count is one more than the number of records.',
    (value) => value + 1,
  ),
  defect(
    equal,
    'count-one-less',
    'subtle',
    'count is one less than the number of records.',
    (value) => value - 1,
  ),
  defect(
    equal,
    'count-capped-at-1000',
    'hidden',
    'count is at most 1000 although there are more records.',
    (value) => Math.min(1000, value),
  ),
  defect(
    equal,
    'count-capped-at-10000',
    'subtle',
    'count is at most 10000 although there are more records.',
    (value) => Math.min(10_000, value),
    { records: 10_600 },
  ),
  defect(
    equal,
    'count-rounded',
    'hidden',
    'count is rounded to hundreds.',
    (value) => Math.round(value / 100) * 100,
  ),
  defect(equal, 'count-zero', 'plain', 'count is always 0.', () => 0),
  defect(
    equal,
    'count-overflow-10',
    'subtle',
    'Only the lower ten bits of count are kept.',
    (value) => value & 1023,
  ),
  defect(
    equal,
    'count-of-all-tenants',
    'hidden',
    'count includes the records of all tenants, twice the number of records in the list.',
    (value) => value * 2,
  ),
];

/** Defects of count. */
/** Counts that are wrong for some time only. */
const staleAtFirst: readonly DefectDraft[] = [
  {
    id: 'count-stale-at-first',
    sentence:
      'The first 24 pages with a count come with one that is four too low, as from a cache that fills.',
    keywords: ['count'],
    must: ['count/equals-records'],
    may: ['count/stable'],
    needs: { order: true },
    apply: (steps) => {
      let given = 0;
      return changeCount((count) => (++given <= 24 ? count - 4 : count))(steps);
    },
  },
];

export const countDefects: readonly DefectDraft[] = [...staleAtFirst, ...presence, ...stability, ...equality];
