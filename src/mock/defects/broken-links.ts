import { breach, type Defect, defectsOf, defectsWith, subtle } from '../defect.ts';
import { all, has, isFollowed, isFull, isLast, isLinked, not, type PageTest } from '../page-tests.ts';
import { type Change, composeChanges, everyNth, wrap } from '../pipeline.ts';
import {
  addLinkParameter,
  addToCount,
  changeLink,
  changeOffset,
  changeRecordAt,
  linkTo,
  numberedLinks,
  onPages,
  refusePages,
  withLink,
} from '../step-changes.ts';

/** Whether the request names no page size, or is for a page behind such a request. */
const isUnsized: PageTest = (page, service) => !has('$pagesize')(page, service) || has('view')(page, service);

/** Marks the links of lists that were requested without $pagesize, and answers these links with a status. */
function refuseUnsized(status: number): Change {
  return composeChanges(
    onPages(isUnsized)(addLinkParameter('view', () => 'all')),
    refusePages(status, 'no such view', all(isLinked, isUnsized)),
  );
}

const isSmall: PageTest = ({ pageSize }) => pageSize < 20;

/** Breaches of links that have several faults, work with some page sizes only, or change with each answer. */
export const brokenLinkDefects: readonly Defect[] = defectsOf({
  'links-refused-without-size-and-count-too-low': {
    sentence: 'Links of a list without $pagesize are answered 404, and count leaves out the last record.',
    keywords: ['traversal'],
    must: ['traversal/followable', 'count/equals-records'],
    difficulty: 'hidden',
    apply: composeChanges(refuseUnsized(404), addToCount(-1)),
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
    apply: composeChanges(
      onPages(isUnsized)(wrap('linkPath', () => () => '/internal/printers')),
      onPages(all(isLinked, not(isUnsized), not(isFollowed)))(linkTo((page) => page.pageSize)),
    ),
  },
  'link-at-the-end-without-count': breach('link/absent-without-count', 'nextpagelink')(
    'Without $count the page with the last record has a nextPageLink.',
    wrap('link', (link) => (page, service) => {
      const end = service.steps.endOffset(page, service);
      const isOpen = page.counting || page.positions.length === 0 || end < page.total;
      return isOpen ? link(page, service) : `${page.resource.path}?$pagesize=${page.pageSize}&$skip=${end}`;
    }),
    { difficulty: 'hidden', records: 400 },
  ),
  'link-at-the-end-leads-nowhere': breach('link/absent-at-the-end', 'nextpagelink')(
    'A full last page of fewer than 20 records has a nextPageLink, which is answered 404.',
    composeChanges(
      withLink(all(isSmall, isLast, isFull)),
      refusePages(
        404,
        'no such page',
        all(isSmall, ({ skip, total }) => skip === total),
      ),
    ),
  ),
  'link-without-skip-and-size': breach(
    'link/query',
    'no $skip',
    'no $pagesize',
    '$count is 1',
  )(
    'nextPageLink has neither $skip nor $pagesize, and $count=1.',
    wrap('linkQuery', () => () => '$count=1&page=2'),
    { difficulty: 'plain' },
  ),
  'numbered-link-refused': breach('traversal/followable', '400')(
    'nextPageLink carries a number that changes with each answer, and linked pages are answered 400.',
    composeChanges(numberedLinks, refusePages(400, 'unknown parameter: number', has('number'))),
    { difficulty: 'plain' },
  ),
  'numbered-link-last-count-low': breach('count/stable', 'count')(
    'nextPageLink carries a number that changes with each answer, and count is one too low on the last page.',
    composeChanges(
      numberedLinks,
      onPages(({ skip, positions, total }) => skip > 0 && skip + positions.length >= total)(addToCount(-1)),
    ),
    { may: ['count/equals-records'], difficulty: 'hidden' },
  ),
});

/** Defects of links that break one requirement only, although much follows from them. */
export const linkBlameDefects = defectsWith({ keywords: ['path'], must: ['link/relative'] })({
  'link-line-end': subtle('nextPageLink ends with a line end.').by(
    changeLink((link) => `${link}\r\n`),
    { keywords: ['white space'] },
  ),
  'link-quoted': subtle('nextPageLink is serialised twice, so that it contains quotation marks.').by(
    changeLink((link) => JSON.stringify(link)),
  ),
  'link-escaped-for-html': breach('link/query', '$pagesize')(
    'The ampersands of nextPageLink are escaped as for HTML.',
    changeLink((link) => link.replaceAll('&', '&amp;')),
  ),
  'link-escaped-twice': breach('link/query', '$count')(
    'The query of nextPageLink is percent-encoded twice.',
    changeLink((link) =>
      link.replace(/\?(.*)$/, (_all, query: string) => `?${encodeURIComponent(encodeURIComponent(query))}`),
    ),
  ),
  'link-offset-high-in-one-of-five': breach('link/offset', '$skip')(
    'In one of five answers with a link, $skip of nextPageLink is one too high.',
    everyNth(5, (isTurn) => changeOffset((skip) => (isTurn() ? skip + 1 : skip))),
  ),
});
