import { breaks, defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import {
  has,
  isCounted,
  isFollowed,
  isFrom,
  isFull,
  isLast,
  isLinked,
  isOfSize,
  isOfUnsizedList,
  isUnsized,
  not,
  type PageTest,
} from '../page-tests.ts';
import { type Change, composeChanges, everyNth, rewrite, wrap } from '../pipeline.ts';
import {
  addLinkParameter,
  addToCount,
  addToOffset,
  changeEnvelope,
  changeLink,
  changeRecordAt,
  emptyLink,
  linkTo,
  numberedLinks,
  onFirstTime,
  onPages,
  refusePages,
  whenRepeated,
  withLink,
  withoutLink,
} from '../step-changes.ts';

const uncounted = defectsWith({ keywords: ['nextpagelink'], must: ['link/absent-without-count'] })({
  'link-always': plain('nextPageLink is given whether or not $count is enabled.').by(withLink(isFollowed)),
  'link-when-count-false': hidden(
    'nextPageLink is given for $count=false: the parameter enables it with any value.',
  ).by(withLink(has('$count'), isFollowed)),
  'link-when-size-named': hidden('nextPageLink is given without $count if $pagesize is given.').by(
    withLink(has('$pagesize'), not(has('$count')), isFollowed),
  ),
  'link-when-nothing-named': subtle(
    'nextPageLink is given without $count if $pagesize is missing as well.',
  ).by(withLink(isUnsized, not(has('$count')), isFollowed)),
});

const missing = defectsWith({ keywords: ['nextpagelink'], must: ['link/present-when-more'] })({
  'link-never': plain('nextPageLink is never given.').by(withoutLink()),
  'link-lower-case-member': plain('The link is in a member nextpagelink instead of nextPageLink.').by(
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, nextpagelink: nextPageLink })),
  ),
  'link-odata-member': plain('The link is in a member @odata.nextLink instead of nextPageLink.').by(
    changeEnvelope(({ nextPageLink, ...members }) => ({ ...members, '@odata.nextLink': nextPageLink })),
  ),
  'link-empty-text': hidden('nextPageLink is an empty string although records follow.').by(emptyLink),
  'link-missing-late': subtle('From record 500 on, no nextPageLink is given although records follow.').by(
    withoutLink(isFrom(500)),
  ),
  'link-missing-when-size-named': hidden('If $pagesize is given, there is no nextPageLink.').by(
    withoutLink(has('$pagesize')),
  ),
  'link-missing-at-one': subtle('With a page size of 1 no nextPageLink is given.').by(
    withoutLink(isOfSize(1)),
  ),
  'link-missing-at-500': subtle('With a page size of 500 no nextPageLink is given.').by(
    withoutLink(isOfSize(500)),
  ),
  'link-missing-before-single-record': subtle(
    'No nextPageLink is given if exactly one more record follows.',
  ).by(withoutLink((page, service) => service.steps.endOffset(page, service) === page.total - 1)),
  'link-missing-on-linked-pages': hidden(
    'Only the first page has a nextPageLink, linked pages have none.',
  ).by(withoutLink(isLinked)),
  'link-missing-after-256-pages': having({ needs: { suite: 'certify' } })
    .subtle('Pages are counted in a byte: after 256 pages no nextPageLink is given.')
    .by(withoutLink(({ skip, pageSize }) => skip / pageSize >= 256)),
  'link-missing-at-first': subtle(
    'The first time that a page is requested, it has no nextPageLink: has-more is filled in later.',
  ).by(onFirstTime(withoutLink())),
  'link-empty-text-at-first': subtle(
    'The first time that a page is requested, its nextPageLink is an empty string although records follow.',
  ).by(onFirstTime(emptyLink)),
  'link-missing-without-size': subtle('Without $pagesize no nextPageLink is given.').by(
    withoutLink(isUnsized),
  ),
});

const surplus = defectsWith({
  keywords: ['nextpagelink'],
  must: ['link/absent-at-the-end'],
  may: ['traversal/terminates'],
})({
  'link-to-empty-page': plain('The last page has a nextPageLink to an empty page, which has none.').by(
    withLink(isLast),
  ),
  'link-never-ends': having({ may: ['traversal/terminates', 'link/offset'] })
    .plain('nextPageLink is always given: after the last page it leads to empty pages without end.')
    .by(
      rewrite('more', (_more, page) => page.counting),
      wrap('endOffset', () => (page) => page.skip + page.pageSize),
    ),
  'link-back-to-start-at-500': having({ may: ['traversal/terminates', 'traversal/no-duplicates'] })
    .subtle('With page size 500 the last page has a nextPageLink to the first one.')
    .by(onPages(isLast, isOfSize(500))(linkTo(() => 0))),
  'link-back-to-start-at-multiples-of-100': having({
    may: ['traversal/terminates', 'traversal/no-duplicates'],
  })
    .subtle('With a page size of 100 or a multiple of it the last page has a nextPageLink to the first one.')
    .by(onPages(isLast, ({ pageSize }) => pageSize % 100 === 0)(linkTo(() => 0))),
  'link-when-page-full': having({ records: 1000 })
    .subtle('A full page always has a nextPageLink, even if it holds the last record.')
    .by(withLink(isLast, isFull)),
  'link-when-size-is-total': having({ records: 300 })
    .subtle('A page as large as the whole list has a nextPageLink.')
    .by(withLink(isLast, ({ pageSize, total }) => pageSize === total)),
  'link-on-short-single-page': having({ records: 42 })
    .subtle('A first page that is larger than the whole list has a nextPageLink.')
    .by(withLink(isLast, ({ skip, pageSize, total }) => skip === 0 && pageSize > total)),
  'link-on-short-last-page': subtle('A last page that is not full and not the first has a nextPageLink.').by(
    withLink(isLast, ({ skip, positions, pageSize }) => skip > 0 && positions.length < pageSize),
  ),
  'link-by-number-of-pages': having({ records: 1000 })
    .subtle('Whether records follow is computed from page numbers, as if $skip were a multiple of $pagesize.')
    .by(
      rewrite(
        'more',
        (_more, { counting, skip, pageSize, total }) =>
          counting && (Math.floor(skip / pageSize) + 1) * pageSize < total,
      ),
    ),
  'link-on-empty-list': having({ records: 0 })
    .subtle('A list without records has a nextPageLink.')
    .by(withLink(isCounted, ({ skip, total }) => skip === 0 && total === 0)),
  'link-empty-text-at-end': having({ may: ['traversal/terminates', 'link/relative', 'link/query'] })
    .hidden('On the last page nextPageLink is an empty string instead of missing.')
    .by(onPages(isLast)(wrap('link', () => () => ''))),
  'link-at-end-when-repeated': subtle(
    'The last page has a nextPageLink to an empty page whenever it is requested again.',
  ).by(whenRepeated(withLink(isLast))),
  'link-empty-text-at-end-when-repeated': having({
    may: ['traversal/terminates', 'link/relative', 'link/query'],
  })
    .subtle(
      'On the last page nextPageLink is an empty string instead of missing whenever the page is requested again.',
    )
    .by(whenRepeated(onPages(isLast)(wrap('link', () => () => '')))),
  'link-last-to-first': having({ may: ['traversal/terminates', 'link/offset'] })
    .hidden('The last page has a nextPageLink to the first page.')
    .by(onPages(isLast, isLinked)(linkTo(() => 0))),
  'link-last-to-itself': having({ may: ['traversal/terminates', 'link/offset'] })
    .hidden('The last page has a nextPageLink to itself.')
    .by(onPages(isLast, isLinked)(linkTo((page) => page.skip))),
});

const toServer = changeLink((link, _page, { origin, basePath }) => `${origin}${basePath}${link}`);

/** The link leads to another path than the list, so it cannot be followed. */
const isNotFollowable = having({ may: ['traversal/followable'] });

const paths = defectsWith({ keywords: ['nextpagelink'], must: ['link/relative'] })({
  'link-absolute': plain('nextPageLink is absolute instead of relative.').by(toServer),
  'link-internal-host': plain(
    'nextPageLink is absolute with the name of an internal host instead of relative.',
  ).by(changeLink((link) => `http://printers.svc.internal:8080${link}`)),
  'link-scheme-relative': hidden(
    'nextPageLink is a reference with a host but no scheme instead of relative.',
  ).by(changeLink((link, _page, { origin }) => origin.slice(5) + link)),
  'link-other-scheme': hidden(
    'nextPageLink is absolute with another scheme than the request instead of relative.',
  ).by(changeLink((link, _page, { origin }) => origin.replace('http:', 'https:') + link)),
  'link-absolute-on-linked-pages': subtle('nextPageLink is absolute on linked pages instead of relative.').by(
    onPages(isLinked)(toServer),
  ),
  'link-absolute-at-500': subtle('If the page size is 500, nextPageLink is absolute instead of relative.').by(
    onPages(isOfSize(500))(toServer),
  ),
  'link-double-slash': isNotFollowable
    .hidden('nextPageLink begins with two slashes, so its first segment is read as a host.')
    .by(changeLink((link) => `/${link}`)),
  'link-version-lost': isNotFollowable
    .plain('The path of nextPageLink has no version.')
    .by(changeLink((link) => link.replace('/v1/', '/'))),
  'link-version-doubled': isNotFollowable
    .hidden('The path of nextPageLink has its version twice.')
    .by(changeLink((link) => link.replace('/v1/', '/v1/v1/'))),
  'link-other-version': isNotFollowable
    .hidden('The path of nextPageLink has another version.')
    .by(changeLink((link) => link.replace('/v1/', '/v2/'))),
  'link-path-slash': isNotFollowable
    .subtle('The path of nextPageLink has a trailing slash.')
    .by(changeLink((link) => link.replace('?', '/?'))),
  'link-path-case': isNotFollowable
    .subtle('The path of nextPageLink is written Printers instead of printers.')
    .by(changeLink((link) => link.replace('/printers', '/Printers'))),
  'link-object': having({ may: ['link/present-when-more'] })
    .hidden('nextPageLink is an object with a member href instead of a relative reference.')
    .by(changeLink((href) => ({ href }))),
});

/** Marks the links of lists that were requested without $pagesize, and answers these links with a status. */
function refuseUnsized(status: number): Change {
  return composeChanges(
    onPages(isOfUnsizedList)(addLinkParameter('view', () => 'all')),
    refusePages(status, 'no such view', isLinked, isOfUnsizedList),
  );
}

const isSmall: PageTest = ({ pageSize }) => pageSize < 20;

/** Breaches of links that have several faults, work with some page sizes only, or change with each answer. */
export const brokenLinkDefects = defectsWith({})({
  'links-refused-without-size-and-count-too-low': having({
    must: ['traversal/followable', 'count/equals-records'],
    keywords: ['traversal'],
  })
    .hidden('Links of a list without $pagesize are answered 404, and count leaves out the last record.')
    .by(refuseUnsized(404), addToCount(-1)),
  'links-refused-without-size-and-records-twice': having({
    must: ['traversal/followable', 'traversal/no-duplicates'],
    keywords: ['traversal'],
    may: ['count/equals-records'],
  })
    .hidden(
      'Links of a list without $pagesize are answered 500, and record 900 comes twice with any page size.',
    )
    .by(
      refuseUnsized(500),
      changeRecordAt((position) => (position === 900 ? 100 : position)),
    ),
  'links-elsewhere-without-size-and-circle-with-size': having({
    must: ['link/relative', 'traversal/terminates'],
    keywords: ['link'],
    may: ['link/absent-at-the-end'],
  })
    .hidden(
      'Links of a list without $pagesize lead to another path, and those of other lists end in a circle.',
    )
    .by(
      onPages(isOfUnsizedList)(wrap('linkPath', () => () => '/internal/printers')),
      onPages(isLinked, not(isOfUnsizedList), not(isFollowed))(linkTo((page) => page.pageSize)),
    ),
  'link-at-the-end-without-count': breaks('link/absent-without-count', 'nextpagelink')
    .having({ records: 400 })
    .hidden('Without $count the page with the last record has a nextPageLink.')
    .by(
      rewrite('link', (link, page, service) => {
        const end = service.steps.endOffset(page, service);
        const isOpen = page.counting || page.positions.length === 0 || end < page.total;
        return isOpen ? link : `${page.resource.path}?$pagesize=${page.pageSize}&$skip=${end}`;
      }),
    ),
  'link-at-the-end-leads-nowhere': breaks('link/absent-at-the-end', 'nextpagelink')
    .subtle('A full last page of fewer than 20 records has a nextPageLink, which is answered 404.')
    .by(
      withLink(isSmall, isLast, isFull),
      refusePages(404, 'no such page', isSmall, ({ skip, total }) => skip === total),
    ),
  'link-without-skip-and-size': breaks('link/query', 'no $skip', 'no $pagesize', '$count is 1')
    .plain('nextPageLink has neither $skip nor $pagesize, and $count=1.')
    .by(wrap('linkQuery', () => () => '$count=1&page=2')),
  'numbered-link-refused': breaks('traversal/followable', '400')
    .plain('nextPageLink carries a number that changes with each answer, and linked pages are answered 400.')
    .by(numberedLinks, refusePages(400, 'unknown parameter: number', has('number'))),
  'numbered-link-last-count-low': breaks('count/stable', 'count')
    .having({ may: ['count/equals-records'] })
    .hidden(
      'nextPageLink carries a number that changes with each answer, and count is one too low on the last page.',
    )
    .by(
      numberedLinks,
      onPages(({ skip, positions, total }) => skip > 0 && skip + positions.length >= total)(addToCount(-1)),
    ),
});

/** Defects that break one requirement only, although much follows from them. */
const references = defectsWith({ keywords: ['path'], must: ['link/relative'] })({
  'link-line-end': having({ keywords: ['white space'] })
    .subtle('nextPageLink ends with a line end.')
    .by(changeLink((link) => `${link}\r\n`)),
  'link-quoted': subtle('nextPageLink is serialised twice, so that it contains quotation marks.').by(
    changeLink((link) => JSON.stringify(link)),
  ),
  'link-escaped-for-html': breaks('link/query', '$pagesize')
    .subtle('The ampersands of nextPageLink are escaped as for HTML.')
    .by(changeLink((link) => link.replaceAll('&', '&amp;'))),
  'link-escaped-twice': breaks('link/query', '$count')
    .subtle('The query of nextPageLink is percent-encoded twice.')
    .by(
      changeLink((link) =>
        link.replace(/\?(.*)$/, (_all, query: string) => `?${encodeURIComponent(encodeURIComponent(query))}`),
      ),
    ),
  'link-offset-high-in-one-of-five': breaks('link/offset', '$skip')
    .subtle('In one of five answers with a link, $skip of nextPageLink is one too high.')
    .by(everyNth(5)(addToOffset(1))),
});

/** Defects of the presence of nextPageLink, and of its host, path and form. */
export const linkDefects = [...uncounted, ...missing, ...surplus, ...paths, ...references];
