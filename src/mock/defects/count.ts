import { type Defect, type DefectDraft, type Difficulty, type DraftWithout, defectsWith } from '../defect.ts';
import type { Change, Page, Service } from '../pipeline.ts';
import { changeCount, changeEnvelope } from '../step-changes.ts';

function defect(
  difficulty: Difficulty,
  sentence: string,
  rewrite: (value: number, page: Page, service: Service) => unknown,
  rest: Partial<DefectDraft> = {},
): DraftWithout<'keywords' | 'must'> {
  return { sentence, difficulty, apply: changeCount(rewrite), ...rest };
}

function underName(name: string): Change {
  return changeEnvelope(({ count, ...members }) => ({ ...members, [name]: count }));
}

const ofPresence = { keywords: ['count'], must: ['count/present'] } satisfies Partial<DefectDraft>;

const presence = defectsWith(ofPresence, {
  'count-never': defect('plain', 'count is never given.', () => undefined),
  'count-null': defect('plain', 'count is null although it is enabled.', () => null),
  'count-text': defect('plain', 'count is a string of digits instead of an integer.', (value) =>
    String(value),
  ),
  'count-fraction': defect('hidden', 'count is a fraction instead of an integer.', (value) => value + 0.5),
  'count-array': defect('hidden', 'count is an array holding the number instead of an integer.', (value) => [
    value,
  ]),
  'count-as-total': defect('plain', 'The count is in a member total instead of count.', (value) => value, {
    apply: underName('total'),
  }),
  'count-capital': defect('hidden', 'The count is in a member Count instead of count.', (value) => value, {
    apply: underName('Count'),
  }),
  'count-first-page-only': defect('hidden', 'Only the first page gives count.', (value, page) =>
    page.skip > 0 ? undefined : value,
  ),
  'count-last-page-lacks-it': defect('subtle', 'The last page gives no count.', (value, page) =>
    page.skip > 0 && page.skip + page.positions.length >= page.total ? undefined : value,
  ),
  'count-missing-on-single-page': defect(
    'subtle',
    'A page that holds the whole list gives no count.',
    (value, page) => (page.positions.length === page.total ? undefined : value),
    { records: 120 },
  ),
  'count-missing-when-zero': defect(
    'subtle',
    'count is left out when it is 0.',
    (value) => (value === 0 ? undefined : value),
    { records: 0 },
  ),
  'count-missing-without-size': defect('subtle', 'Without $pagesize no count is given.', (value, page) =>
    page.parameters.some(({ name }) => name === '$pagesize') ? value : undefined,
  ),
  'count-missing-at-one': defect('subtle', 'With a page size of 1 no count is given.', (value, page) =>
    page.pageSize === 1 ? undefined : value,
  ),
  'count-negative-when-paged': defect(
    'hidden',
    'On linked pages count is -1 instead of the total.',
    (value, page) => (page.skip > 0 ? -1 : value),
    { may: ['count/stable'] },
  ),
});

const ofStability = {
  keywords: ['count'],
  must: ['count/stable'],
  may: ['count/equals-records'],
} satisfies Partial<DefectDraft>;

const stability = defectsWith(ofStability, {
  'count-of-page': defect(
    'plain',
    'count is the number of records on the page instead of the total.',
    (_value, page) => page.positions.length,
  ),
  'count-remaining': defect(
    'plain',
    'count is the number of records from this page on instead of the total.',
    (value, page) => Math.max(0, value - page.skip),
  ),
  'count-of-pages': defect(
    'plain',
    'count is the number of pages, which changes with the page size, instead of the number of records.',
    (value, page) => Math.ceil(value / page.pageSize),
  ),
  'count-rounded-to-page': defect(
    'hidden',
    'count is rounded up to whole pages, so it changes with the page size.',
    (value, page) => Math.ceil(value / page.pageSize) * page.pageSize,
  ),
  'count-up-to-here': defect(
    'hidden',
    'count is the number of records given up to this page.',
    (_value, page) => page.skip + page.positions.length,
  ),
  'count-estimated-on-first-page': defect(
    'subtle',
    'On first pages count is one more than on linked pages.',
    (value, page) => (page.skip === 0 ? value + 1 : value),
  ),
  'count-other-on-linked-pages': defect(
    'subtle',
    'On linked pages count is one less than on first pages.',
    (value, page) => (page.skip > 0 ? value - 1 : value),
  ),
  'count-other-on-last-page': defect(
    'subtle',
    'On the last page count is one more than on the others.',
    (value, page) => (page.skip > 0 && page.skip + page.positions.length >= page.total ? value + 1 : value),
  ),
  'count-other-at-500': defect(
    'subtle',
    'With a page size of 500 count is one more than with others.',
    (value, page) => (page.pageSize === 500 ? value + 1 : value),
  ),
  'count-other-at-one': defect(
    'subtle',
    'With a page size of 1 count is one less than with others.',
    (value, page) => (page.pageSize === 1 ? value - 1 : value),
  ),
  'count-other-late': defect('subtle', 'From record 900 on, count is ten more than before.', (value, page) =>
    page.skip >= 900 ? value + 10 : value,
  ),
});

const ofEquality = { keywords: ['count'], must: ['count/equals-records'] } satisfies Partial<DefectDraft>;

const equality = defectsWith(ofEquality, {
  'count-with-deleted': defect(
    'plain',
    'count includes 17 deleted records that no page gives.',
    (value) => value + 17,
  ),
  'count-one-more': defect('subtle', 'count is one more than the number of records.', (value) => value + 1),
  'count-one-less': defect('subtle', 'count is one less than the number of records.', (value) => value - 1),
  'count-capped-at-1000': defect(
    'hidden',
    'count is at most 1000 although there are more records.',
    (value) => Math.min(1000, value),
  ),
  'count-capped-at-10000': defect(
    'subtle',
    'count is at most 10000 although there are more records.',
    (value) => Math.min(10_000, value),
    { records: 10_600 },
  ),
  'count-rounded': defect(
    'hidden',
    'count is rounded to hundreds.',
    (value) => Math.round(value / 100) * 100,
  ),
  'count-zero': defect('plain', 'count is always 0.', () => 0),
  'count-overflow-10': defect(
    'subtle',
    'Only the lower ten bits of count are kept.',
    (value) => value & 1023,
  ),
  'count-of-all-tenants': defect(
    'hidden',
    'count includes the records of all tenants, twice the number of records in the list.',
    (value) => value * 2,
  ),
});

/** Defects of count. */
export const countDefects: readonly Defect[] = [...presence, ...stability, ...equality];
