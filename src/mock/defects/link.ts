import { type Defect, type DefectDraft, type Difficulty, type DraftWithout, defectsWith } from '../defect.ts';
import { type Change, composeChanges, type Page, type Service, valuesOf, wrap } from '../pipeline.ts';
import { changeEnvelope, changeLink, changeMore, linkTo } from '../step-changes.ts';

/** A defect of nextPageLink. */
function defect(
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  rest: Partial<DefectDraft> = {},
): DraftWithout<'must'> {
  return { sentence, keywords: ['nextpagelink'], difficulty, apply, ...rest };
}

function hasParameter(page: Page, name: string): boolean {
  return valuesOf(page, name).length > 0;
}

/** Whether records follow this page, with or without `$count`. */
function hasFollowingRecords(page: Page, service: Service): boolean {
  return service.steps.endOffset(page, service) < page.total;
}

const ofUncounted = { must: ['link/absent-without-count'] } satisfies Partial<DefectDraft>;

const withoutCount = defectsWith(ofUncounted, {
  'link-always': defect(
    'plain',
    'nextPageLink is given whether or not $count is enabled.',
    changeMore((_, page, service) => hasFollowingRecords(page, service)),
  ),
  'link-when-count-false': defect(
    'hidden',
    'nextPageLink is given for $count=false: the parameter enables it with any value.',
    changeMore(
      (before, page, service) =>
        before || (hasParameter(page, '$count') && hasFollowingRecords(page, service)),
    ),
  ),
  'link-when-size-named': defect(
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
  'link-when-nothing-named': defect(
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
});

const ofMissing = { must: ['link/present-when-more'] } satisfies Partial<DefectDraft>;

const missing = defectsWith(ofMissing, {
  'link-never': defect(
    'plain',
    'nextPageLink is never given.',
    changeMore(() => false),
  ),
  'link-lower-case-member': defect(
    'plain',
    'The link is in a member nextpagelink instead of nextPageLink.',
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, nextpagelink: nextPageLink })),
  ),
  'link-odata-member': defect(
    'plain',
    'The link is in a member @odata.nextLink instead of nextPageLink.',
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, '@odata.nextLink': nextPageLink })),
  ),
  'link-empty-text': defect(
    'hidden',
    'nextPageLink is an empty string although records follow.',
    changeLink(() => ''),
  ),
  'link-missing-late': defect(
    'subtle',
    'From record 500 on, no nextPageLink is given although records follow.',
    changeMore((before, page) => before && page.skip < 500),
  ),
  'link-missing-when-size-named': defect(
    'hidden',
    'If $pagesize is given, there is no nextPageLink.',
    changeMore((before, page) => before && !hasParameter(page, '$pagesize')),
  ),
  'link-missing-at-one': defect(
    'subtle',
    'With a page size of 1 no nextPageLink is given.',
    changeMore((before, page) => before && page.pageSize !== 1),
  ),
  'link-missing-at-500': defect(
    'subtle',
    'With a page size of 500 no nextPageLink is given.',
    changeMore((before, page) => before && page.pageSize !== 500),
  ),
  'link-missing-before-single-record': defect(
    'subtle',
    'No nextPageLink is given if exactly one more record follows.',
    changeMore(
      (before, page, service) => before && service.steps.endOffset(page, service) !== page.total - 1,
    ),
  ),
  'link-missing-on-linked-pages': defect(
    'hidden',
    'Only the first page has a nextPageLink, linked pages have none.',
    changeMore((before, page) => before && page.skip === 0),
  ),
  'link-missing-after-256-pages': {
    ...defect(
      'subtle',
      'Pages are counted in a byte: after 256 pages no nextPageLink is given.',
      changeMore((before, page) => before && page.skip / page.pageSize < 256),
    ),
    needs: { suite: 'certify' },
  },
  'link-missing-without-size': defect(
    'subtle',
    'Without $pagesize no nextPageLink is given.',
    changeMore((before, page) => before && hasParameter(page, '$pagesize')),
  ),
});

/** Whether this is the page that holds the last record. */
function isLastPage(page: Page, service: Service): boolean {
  return page.counting && page.positions.length > 0 && service.steps.endOffset(page, service) >= page.total;
}

const ofSurplus = {
  must: ['link/absent-at-the-end'],
  may: ['traversal/terminates'],
} satisfies Partial<DefectDraft>;

const surplus = defectsWith(ofSurplus, {
  'link-to-empty-page': defect(
    'plain',
    'The last page has a nextPageLink to an empty page, which has none.',
    changeMore((before, page, service) => before || isLastPage(page, service)),
  ),
  'link-never-ends': defect(
    'plain',
    'nextPageLink is always given: after the last page it leads to empty pages without end.',
    composeChanges(
      changeMore((_, page) => page.counting),
      wrap('endOffset', () => (page) => page.skip + page.pageSize),
    ),
    { may: ['traversal/terminates', 'link/offset'] },
  ),
  'link-when-page-full': defect(
    'subtle',
    'A full page always has a nextPageLink, even if it holds the last record.',
    changeMore(
      (before, page, service) =>
        before || (isLastPage(page, service) && page.positions.length === page.pageSize),
    ),
    { records: 1000 },
  ),
  'link-when-size-is-total': defect(
    'subtle',
    'A page as large as the whole list has a nextPageLink.',
    changeMore(
      (before, page, service) => before || (isLastPage(page, service) && page.pageSize === page.total),
    ),
    { records: 300 },
  ),
  'link-on-short-single-page': defect(
    'subtle',
    'A first page that is larger than the whole list has a nextPageLink.',
    changeMore(
      (before, page, service) =>
        before || (isLastPage(page, service) && page.skip === 0 && page.pageSize > page.total),
    ),
    { records: 42 },
  ),
  'link-on-short-last-page': defect(
    'subtle',
    'A last page that is not full and not the first has a nextPageLink.',
    changeMore(
      (before, page, service) =>
        before || (isLastPage(page, service) && page.skip > 0 && page.positions.length < page.pageSize),
    ),
  ),
  'link-on-empty-list': defect(
    'subtle',
    'A list without records has a nextPageLink.',
    changeMore((before, page) => before || (page.counting && page.total === 0 && page.skip === 0)),
    { records: 0 },
  ),
  'link-empty-text-at-end': defect(
    'hidden',
    'On the last page nextPageLink is an empty string instead of missing.',
    wrap('link', (link) => (page, service) => (isLastPage(page, service) ? '' : link(page, service))),
    { may: ['traversal/terminates', 'link/relative', 'link/query'] },
  ),
  'link-last-to-first': defect(
    'hidden',
    'The last page has a nextPageLink to the first page.',
    linkTo((page, service) => (isLastPage(page, service) && page.skip > 0 ? 0 : undefined)),
    { may: ['traversal/terminates', 'link/offset'] },
  ),
  'link-last-to-itself': defect(
    'hidden',
    'The last page has a nextPageLink to itself.',
    linkTo((page, service) => (isLastPage(page, service) && page.skip > 0 ? page.skip : undefined)),
    { may: ['traversal/terminates', 'link/offset'] },
  ),
});

/** Defects of the presence of nextPageLink. */
export const linkDefects: readonly Defect[] = [...withoutCount, ...missing, ...surplus];

function absolute(
  difficulty: Difficulty,
  words: string,
  prefix: (page: Page, service: Service) => string,
): DraftWithout<'must'> {
  return defect(
    difficulty,
    `nextPageLink is ${words} instead of relative.`,
    changeLink((link, page, service) => prefix(page, service) + link),
  );
}

/** The link leads to another path than the list, so it cannot be followed. */
const isNotFollowable: Partial<DefectDraft> = { may: ['traversal/followable'] };

const ofPath = { must: ['link/relative'] } satisfies Partial<DefectDraft>;

/** Defects of the host and path of nextPageLink. */
export const linkPathDefects: readonly Defect[] = defectsWith(ofPath, {
  'link-absolute': absolute('plain', 'absolute', (_page, service) => service.origin + service.basePath),
  'link-internal-host': absolute(
    'plain',
    'absolute with the name of an internal host',
    () => 'http://printers.svc.internal:8080',
  ),
  'link-scheme-relative': absolute('hidden', 'a reference with a host but no scheme', (_page, service) =>
    service.origin.slice(5),
  ),
  'link-other-scheme': absolute('hidden', 'absolute with another scheme than the request', (_page, service) =>
    service.origin.replace('http:', 'https:'),
  ),
  'link-absolute-on-linked-pages': absolute('subtle', 'absolute on linked pages', (page, service) =>
    page.skip > 0 ? service.origin + service.basePath : '',
  ),
  'link-absolute-at-500': absolute('subtle', 'absolute if the page size is 500', (page, service) =>
    page.pageSize === 500 ? service.origin + service.basePath : '',
  ),
  'link-double-slash': defect(
    'hidden',
    'nextPageLink begins with two slashes, so its first segment is read as a host.',
    changeLink((link) => `/${link}`),
    isNotFollowable,
  ),
  'link-version-lost': defect(
    'plain',
    'The path of nextPageLink has no version.',
    changeLink((link) => link.replace('/v1/', '/')),
    isNotFollowable,
  ),
  'link-version-doubled': defect(
    'hidden',
    'The path of nextPageLink has its version twice.',
    changeLink((link) => link.replace('/v1/', '/v1/v1/')),
    isNotFollowable,
  ),
  'link-other-version': defect(
    'hidden',
    'The path of nextPageLink has another version.',
    changeLink((link) => link.replace('/v1/', '/v2/')),
    isNotFollowable,
  ),
  'link-path-slash': defect(
    'subtle',
    'The path of nextPageLink has a trailing slash.',
    changeLink((link) => link.replace('?', '/?')),
    isNotFollowable,
  ),
  'link-path-case': defect(
    'subtle',
    'The path of nextPageLink is written Printers instead of printers.',
    changeLink((link) => link.replace('/printers', '/Printers')),
    isNotFollowable,
  ),
  'link-object': defect(
    'hidden',
    'nextPageLink is an object with a member href instead of a relative reference.',
    changeLink((href) => ({ href })),
    { may: ['link/present-when-more'] },
  ),
});
