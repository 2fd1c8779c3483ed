import type { RequirementId } from '../../core/requirement-id.ts';
import type { DefectDraft, Difficulty } from '../defect.ts';
import { type Change, composeChanges, type Page, type Service, valuesOf, wrap } from '../pipeline.ts';
import { changeEnvelope, changeLink, changeMore, linkTo } from '../step-changes.ts';

/** A defect of nextPageLink. */
export function defect(
  must: RequirementId,
  id: string,
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  rest: Partial<DefectDraft> = {},
): DefectDraft {
  return { id, sentence, keywords: ['nextpagelink'], must: [must], difficulty, apply, ...rest };
}

function hasParameter(page: Page, name: string): boolean {
  return valuesOf(page, name).length > 0;
}

/** Whether records follow this page, with or without `$count`. */
function hasFollowingRecords(page: Page, service: Service): boolean {
  return service.steps.endOffset(page, service) < page.total;
}

const uncounted = 'link/absent-without-count';

const withoutCount: readonly DefectDraft[] = [
  defect(
    uncounted,
    'link-always',
    'plain',
    'nextPageLink is given whether or not $count is enabled.',
    changeMore((_, page, service) => hasFollowingRecords(page, service)),
  ),
  defect(
    uncounted,
    'link-when-count-false',
    'hidden',
    'nextPageLink is given for $count=false: the parameter enables it with any value.',
    changeMore(
      (before, page, service) =>
        before || (hasParameter(page, '$count') && hasFollowingRecords(page, service)),
    ),
  ),
  defect(
    uncounted,
    'link-when-size-named',
    'hidden',
    'nextPageLink is given without $count if $pagesize is given.',
    changeMore(
      (before, page, service) =>
        before ||
        (hasParameter(page, '$pagesize') &&
          !hasParameter(page, '$count') &&
          hasFollowingRecords(page, service)),
    ),
  ),
  defect(
    uncounted,
    'link-when-nothing-named',
    'subtle',
    'nextPageLink is given without $count if $pagesize is missing as well.',
    changeMore(
      (before, page, service) =>
        before ||
        (!hasParameter(page, '$pagesize') &&
          !hasParameter(page, '$count') &&
          hasFollowingRecords(page, service)),
    ),
  ),
];

const present = 'link/present-when-more';

const missing: readonly DefectDraft[] = [
  defect(
    present,
    'link-never',
    'plain',
    'nextPageLink is never given.',
    changeMore(() => false),
  ),
  defect(
    present,
    'link-lower-case-member',
    'plain',
    'The link is in a member nextpagelink instead of nextPageLink.',
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, nextpagelink: nextPageLink })),
  ),
  defect(
    present,
    'link-odata-member',
    'plain',
    'The link is in a member @odata.nextLink instead of nextPageLink.',
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, '@odata.nextLink': nextPageLink })),
  ),
  defect(
    present,
    'link-empty-text',
    'hidden',
    'nextPageLink is an empty string although records follow.',
    changeLink(() => ''),
  ),
  defect(
    present,
    'link-missing-late',
    'subtle',
    'From record 500 on, no nextPageLink is given although records follow.',
    changeMore((before, page) => before && page.skip < 500),
  ),
  defect(
    present,
    'link-missing-when-size-named',
    'hidden',
    'If $pagesize is given, there is no nextPageLink.',
    changeMore((before, page) => before && !hasParameter(page, '$pagesize')),
  ),
  defect(
    present,
    'link-missing-at-one',
    'subtle',
    'With a page size of 1 no nextPageLink is given.',
    changeMore((before, page) => before && page.pageSize !== 1),
  ),
  defect(
    present,
    'link-missing-at-500',
    'subtle',
    'With a page size of 500 no nextPageLink is given.',
    changeMore((before, page) => before && page.pageSize !== 500),
  ),
  defect(
    present,
    'link-missing-before-single-record',
    'subtle',
    'No nextPageLink is given if exactly one more record follows.',
    changeMore(
      (before, page, service) => before && service.steps.endOffset(page, service) !== page.total - 1,
    ),
  ),
  defect(
    present,
    'link-missing-on-linked-pages',
    'hidden',
    'Only the first page has a nextPageLink, linked pages have none.',
    changeMore((before, page) => before && page.skip === 0),
  ),
  defect(
    present,
    'link-missing-without-size',
    'subtle',
    'Without $pagesize no nextPageLink is given.',
    changeMore((before, page) => before && hasParameter(page, '$pagesize')),
  ),
];

const atEnd = 'link/absent-at-the-end';
const endless: Partial<DefectDraft> = { may: ['traversal/terminates'] };

/** Whether this is the page that holds the last record. */
function isLastPage(page: Page, service: Service): boolean {
  return page.counting && page.positions.length > 0 && service.steps.endOffset(page, service) >= page.total;
}

const surplus: readonly DefectDraft[] = [
  defect(
    atEnd,
    'link-to-empty-page',
    'plain',
    'The last page has a nextPageLink to an empty page, which has none.',
    changeMore((before, page, service) => before || isLastPage(page, service)),
    endless,
  ),
  defect(
    atEnd,
    'link-for-ever',
    'plain',
    'nextPageLink is always given: after the last page it leads to empty pages without end.',
    composeChanges(
      changeMore((_, page) => page.counting),
      wrap('endOffset', () => (page) => page.skip + page.pageSize),
    ),
    { may: ['traversal/terminates', 'link/offset'] },
  ),
  defect(
    atEnd,
    'link-when-page-full',
    'subtle',
    'A full page always has a nextPageLink, even if it holds the last record.',
    changeMore(
      (before, page, service) =>
        before || (isLastPage(page, service) && page.positions.length === page.pageSize),
    ),
    { ...endless, records: 1000 },
  ),
  defect(
    atEnd,
    'link-when-size-is-total',
    'subtle',
    'A page as large as the whole list has a nextPageLink.',
    changeMore(
      (before, page, service) => before || (isLastPage(page, service) && page.pageSize === page.total),
    ),
    { ...endless, records: 300 },
  ),
  defect(
    atEnd,
    'link-on-short-single-page',
    'subtle',
    'A first page that is larger than the whole list has a nextPageLink.',
    changeMore(
      (before, page, service) =>
        before || (isLastPage(page, service) && page.skip === 0 && page.pageSize > page.total),
    ),
    { ...endless, records: 42 },
  ),
  defect(
    atEnd,
    'link-on-short-last-page',
    'subtle',
    'A last page that is not full and not the first has a nextPageLink.',
    changeMore(
      (before, page, service) =>
        before || (isLastPage(page, service) && page.skip > 0 && page.positions.length < page.pageSize),
    ),
    endless,
  ),
  defect(
    atEnd,
    'link-on-empty-list',
    'subtle',
    'A list without records has a nextPageLink.',
    changeMore((before, page) => before || (page.counting && page.total === 0 && page.skip === 0)),
    { ...endless, records: 0 },
  ),
  defect(
    atEnd,
    'link-empty-text-at-end',
    'hidden',
    'On the last page nextPageLink is an empty string instead of missing.',
    wrap('link', (link) => (page, service) => (isLastPage(page, service) ? '' : link(page, service))),
    { may: ['traversal/terminates', 'link/relative', 'link/query'] },
  ),
  defect(
    atEnd,
    'link-last-to-first',
    'hidden',
    'The last page has a nextPageLink to the first page.',
    linkTo((page, service) => (isLastPage(page, service) && page.skip > 0 ? 0 : undefined)),
    { may: ['traversal/terminates', 'link/offset'] },
  ),
  defect(
    atEnd,
    'link-last-to-itself',
    'hidden',
    'The last page has a nextPageLink to itself.',
    linkTo((page, service) => (isLastPage(page, service) && page.skip > 0 ? page.skip : undefined)),
    { may: ['traversal/terminates', 'link/offset'] },
  ),
];

/** Defects of the presence of nextPageLink. */
export const linkDefects: readonly DefectDraft[] = [...withoutCount, ...missing, ...surplus];
