import type { RequirementId } from '../../core/requirement-id.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type Page, valuesOf, wrap } from '../pipeline.ts';
import {
  changeCount,
  changeLink,
  changeLinkParameters,
  changeMore,
  changeOffset,
  changeRecordAt,
  refusePages,
} from '../step-changes.ts';

/** Whether the request names no page size, or is for a page behind such a request. */
function isUnsized(page: Page): boolean {
  return valuesOf(page, '$pagesize').length === 0 || valuesOf(page, 'view').length > 0;
}

/** Marks the links of lists that were requested without $pagesize. */
const markedLinks: Change = changeLinkParameters((parameters, page) => [
  ...parameters,
  ...(isUnsized(page) ? ([['view', 'all']] as const) : []),
]);

/** Answers the links of such lists with a status. */
function refuseUnsized(status: number): Change {
  return composeChanges(
    markedLinks,
    refusePages(status, 'no such view', (page) => page.skip > 0 && isUnsized(page)),
  );
}

/** Every link carries a number that no other one carries. That alone is allowed. */
const withNumberedLinks: Change = (steps) => {
  let links = 0;
  return changeLinkParameters((parameters) => [...parameters, ['number', String(++links)]])(steps);
};

/** Breaches of links that have several faults, work with some page sizes only, or change with each answer. */
export const brokenLinkDefects: readonly Defect[] = defectsOf({
  'links-refused-without-size-and-count-too-low': {
    sentence: 'Links of a list without $pagesize are answered 404, and count leaves out the last record.',
    keywords: ['traversal'],
    must: ['traversal/followable', 'count/equals-records'],
    difficulty: 'hidden',
    apply: composeChanges(
      refuseUnsized(404),
      changeCount((count) => count - 1),
    ),
  },
  'links-refused-without-size-and-records-twice': {
    sentence:
      'Links of a list without $pagesize are answered 500, and record 900 comes twice with any page size.',
    keywords: ['traversal'],
    must: ['traversal/followable', 'traversal/no-duplicates'],
    may: ['count/equals-records'],
    difficulty: 'hidden',
    apply: composeChanges(
      refuseUnsized(500),
      changeRecordAt((position) => (position === 900 ? 100 : position)),
    ),
  },
  'links-elsewhere-without-size-and-circle-with-size': {
    sentence:
      'Links of a list without $pagesize lead to another path, and those of other lists end in a circle.',
    keywords: ['link'],
    must: ['link/relative', 'traversal/terminates'],
    may: ['link/absent-at-the-end'],
    difficulty: 'hidden',
    apply: (steps) => ({
      ...steps,
      linkPath: (page, service) => (isUnsized(page) ? '/internal/printers' : steps.linkPath(page, service)),
      link: (page, service) => {
        const link = steps.link(page, service);
        if (link !== undefined || isUnsized(page) || !page.counting || page.skip === 0) return link;
        return `${steps.linkPath(page, service)}?$count=true&$pagesize=${page.pageSize}&$skip=${page.pageSize}`;
      },
    }),
  },
  'link-at-the-end-without-count': {
    sentence: 'Without $count the page with the last record has a nextPageLink.',
    keywords: ['nextpagelink'],
    must: ['link/absent-without-count'],
    difficulty: 'hidden',
    records: 400,
    apply: wrap('link', (link) => (page, service) => {
      const end = service.steps.endOffset(page, service);
      const isOpen = page.counting || page.positions.length === 0 || end < page.total;
      return isOpen ? link(page, service) : `${page.resource.path}?$pagesize=${page.pageSize}&$skip=${end}`;
    }),
  },
  'link-at-the-end-leads-nowhere': {
    sentence: 'A full last page of fewer than 20 records has a nextPageLink, which is answered 404.',
    keywords: ['nextpagelink'],
    must: ['link/absent-at-the-end'],
    apply: composeChanges(
      changeMore((more, page, service) => {
        const isLast = page.counting && service.steps.endOffset(page, service) === page.total;
        return more || (isLast && page.positions.length === page.pageSize && page.pageSize < 20);
      }),
      refusePages(404, 'no such page', (page) => page.skip === page.total && page.pageSize < 20),
    ),
  },
  'link-without-skip-and-size': {
    sentence: 'nextPageLink has neither $skip nor $pagesize, and $count=1.',
    keywords: ['no $skip', 'no $pagesize', '$count is 1'],
    must: ['link/query'],
    difficulty: 'plain',
    apply: wrap('linkQuery', () => () => '$count=1&page=2'),
  },
  'numbered-link-refused': {
    sentence:
      'nextPageLink carries a number that changes with each answer, and linked pages are answered 400.',
    keywords: ['400'],
    must: ['traversal/followable'],
    difficulty: 'plain',
    apply: composeChanges(
      withNumberedLinks,
      refusePages(400, 'unknown parameter: number', (page) => valuesOf(page, 'number').length > 0),
    ),
  },
  'numbered-link-last-count-low': {
    sentence:
      'nextPageLink carries a number that changes with each answer, and count is one too low on the last page.',
    keywords: ['count'],
    must: ['count/stable'],
    may: ['count/equals-records'],
    difficulty: 'hidden',
    apply: composeChanges(
      withNumberedLinks,
      changeCount((count, page) => {
        const isLast = page.skip > 0 && page.skip + page.positions.length >= page.total;
        return isLast ? count - 1 : count;
      }),
    ),
  },
});

function linkDefect(sentence: string, keyword: string, must: RequirementId, apply: Change): DefectDraft {
  return { sentence, keywords: [keyword], must: [must], apply };
}

/** Defects of links that break one requirement only, although much follows from them. */
export const linkBlameDefects: readonly Defect[] = defectsOf({
  'link-line-end': linkDefect(
    'nextPageLink ends with a line end.',
    'white space',
    'link/relative',
    changeLink((link) => `${link}\r\n`),
  ),
  'link-quoted': linkDefect(
    'nextPageLink is serialised twice, so that it contains quotation marks.',
    'path',
    'link/relative',
    changeLink((link) => JSON.stringify(link)),
  ),
  'link-escaped-for-html': linkDefect(
    'The ampersands of nextPageLink are escaped as for HTML.',
    '$pagesize',
    'link/query',
    changeLink((link) => link.replaceAll('&', '&amp;')),
  ),
  'link-escaped-twice': linkDefect(
    'The query of nextPageLink is percent-encoded twice.',
    '$count',
    'link/query',
    changeLink((link) =>
      link.replace(/\?(.*)$/, (_all, query: string) => `?${encodeURIComponent(encodeURIComponent(query))}`),
    ),
  ),
  'link-offset-high-in-one-of-five': linkDefect(
    'In one of five answers with a link, $skip of nextPageLink is one too high.',
    '$skip',
    'link/offset',
    (steps) => {
      let links = 0;
      return changeOffset((skip) => skip + (links++ % 5 === 4 ? 1 : 0))(steps);
    },
  ),
});
