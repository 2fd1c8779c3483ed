import type { RequirementId } from '../../core/requirement-id.ts';
import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import { type Change, composeChanges, everyNth, rewrite, wrap } from '../changes.ts';
import {
  absoluteLink,
  addLinkParameter,
  addToOffset,
  changeLink,
  changeLinkParameters,
  changeLinkValue,
  changeOffset,
  isByParameters,
  isCapped,
  isDeepAndSmall,
  isEncoded,
  isFollowed,
  isLinked,
  isOfSize,
  isOfUnsizedList,
  isUncompressed,
  isUnsized,
  linkTo,
  not,
  onPages,
  removeLinkParameter,
  requestedSize,
  setLinkValue,
} from '../page-changes.ts';
import { valuesOf } from '../pipeline.ts';
import { listOfSecondClient } from '../token-changes.ts';

const toServer = changeLink((link, _page, { origin, basePath }) => `${origin}${basePath}${link}`);

/** The link leads to another path than the list, so it cannot be followed. */
const isNotFollowable = having({ may: ['traversal/followable'] });

const references = defectsWith({ keywords: ['nextpagelink'], must: ['link/relative'] })({
  'link-absolute': plain('nextPageLink is absolute instead of relative.').by(toServer),
  'link-internal-host': plain(
    'nextPageLink is absolute with the name of an internal host instead of relative.',
  ).by(changeLink((link) => `http://printers.svc.internal:8080${link}`)),
  'link-scheme-relative': hidden(
    'nextPageLink is a reference with a host but no scheme instead of relative.',
  ).by(changeLink((link, _page, { origin }) => origin.replace(/^https?:/, '') + link)),
  'link-other-scheme': hidden(
    'nextPageLink is absolute with another scheme than the request instead of relative.',
  ).by(
    changeLink((link, _page, { origin }) => {
      const scheme = origin.startsWith('http:') ? 'https:' : 'http:';
      return origin.replace(/^https?:/, scheme) + link;
    }),
  ),
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
  'by-parameters-link-absolute': having({ keywords: ['absolute'] })
    .subtle('nextPageLink is absolute if the client requests a page by $skip.')
    .by(onPages(isByParameters)(absoluteLink)),
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
  'link-line-end': having({ keywords: ['white space'] })
    .subtle('nextPageLink ends with a line end.')
    .by(changeLink((link) => `${link}\r\n`)),
  'link-quoted': having({ keywords: ['path'] })
    .subtle('nextPageLink is serialised twice, so that it contains quotation marks.')
    .by(changeLink((link) => JSON.stringify(link))),
  'encoded-link-absolute': having({ keywords: ['%24', 'absolute'] })
    .subtle('The nextPageLink of a call with %24count is absolute.')
    .by(onPages(isEncoded('count'))(absoluteLink)),
  'link-absolute-without-compression': having({ keywords: ['nextpagelink', 'leads to'] })
    .subtle('nextPageLink is absolute if the client accepts no compressed answer.')
    .by(onPages(isUncompressed)(changeLink((link) => `https://internal.provider.example${link}`))),
  'second-client-own-links-absolute': having({ keywords: ['second provider'] })
    .subtle('The second client has a list of its own, whose links are absolute.')
    .by(listOfSecondClient(absoluteLink)),
});

function renameParameters(rename: (name: string) => string): Change {
  return changeLinkParameters((pairs) => pairs.map(([name, value]) => [rename(name), value]));
}

const cursorInLinks = composeChanges(
  renameParameters((name) => (name === '$skip' ? '$skiptoken' : name)),
  rewrite('skip', (skip, page) => Number(valuesOf(page, '$skiptoken')[0] ?? skip)),
);

const namesSize = having({ keywords: ['$pagesize'] });

const namesCount = having({ keywords: ['$count'] });

// Without readable parameters, the link leads to a first page.
const startsAgain: readonly RequirementId[] = ['link/offset', 'traversal/terminates', 'traversal/followable'];

const queries = defectsWith({ keywords: ['$skip'], must: ['link/query'] })({
  'link-size-100-of-capped-page': namesSize
    .subtle(
      'nextPageLink of a page for $pagesize above 500 says $pagesize=100, and the page holds 500 records.',
    )
    .by(onPages(isCapped)(setLinkValue('$pagesize', '100'))),
  'link-size-20-of-capped-page-within': namesSize
    .subtle(
      'nextPageLink of a page for $pagesize above 500 behind $skip says $pagesize=20, and the page holds 500 records.',
    )
    .by(onPages(isLinked)(onPages(isCapped)(setLinkValue('$pagesize', '20')))),
  'link-size-lost': namesSize
    .plain('nextPageLink has no $pagesize, so linked pages have the default size.')
    .by(removeLinkParameter('$pagesize')),
  'link-count-lost': namesCount
    .plain('nextPageLink has no $count, so linked pages have neither a link nor a count.')
    .by(removeLinkParameter('$count')),
  'link-skip-lost': having({ may: startsAgain })
    .plain('nextPageLink has no $skip, so it leads to the first page.')
    .by(removeLinkParameter('$skip')),
  'link-dollars-stripped': namesCount
    .having({ may: startsAgain })
    .hidden('The parameter names of nextPageLink lack their $.')
    .by(renameParameters((name) => name.slice(1))),
  'link-dollars-encoded-twice': namesCount
    .having({ may: startsAgain })
    .hidden('The parameter names of nextPageLink are encoded twice, $ as %2524.')
    .by(renameParameters((name) => name.replace('$', '%2524'))),
  'link-skip-twice': having({ may: startsAgain })
    .subtle('nextPageLink of a linked page keeps the old $skip and appends the new one.')
    .by(onPages(isLinked)(changeLinkParameters((pairs, page) => [['$skip', String(page.skip)], ...pairs]))),
  'link-size-twice': namesSize
    .having({ may: startsAgain })
    .hidden('nextPageLink gives $pagesize twice.')
    .by(changeLinkParameters((pairs, page) => [...pairs, ['$pagesize', String(page.pageSize)]])),
  'link-count-false': namesCount
    .hidden('nextPageLink says $count=false.')
    .by(setLinkValue('$count', 'false')),
  'link-count-empty': namesCount
    .hidden('nextPageLink gives $count without a value.')
    .by(setLinkValue('$count', '')),
  'link-size-default': namesSize
    .hidden('nextPageLink always says $pagesize=500 instead of the size in force.')
    .by(setLinkValue('$pagesize', '500')),
  'link-size-one-more': namesSize
    .subtle('The $pagesize of nextPageLink is one more than the size in force.')
    .by(changeLinkValue('$pagesize', (value) => String(Math.min(500, Number(value) + 1)))),
  'link-size-lost-late': namesSize
    .subtle('On linked pages nextPageLink has no $pagesize; on first pages it has.')
    .by(onPages(isLinked)(removeLinkParameter('$pagesize'))),
  'link-size-lost-by-default': namesSize
    .subtle('nextPageLink has no $pagesize if none was requested.')
    .by(onPages(isUnsized)(removeLinkParameter('$pagesize'))),
  'link-count-lost-late': namesCount
    .subtle('On linked pages nextPageLink has no $count; on first pages it has.')
    .by(onPages(isLinked)(removeLinkParameter('$count'))),
  'link-cursor': having({ may: ['link/offset'] })
    .hidden('nextPageLink carries a cursor in $skiptoken instead of $skip.')
    .by(cursorInLinks),
  'link-cursor-of-short-list': having({ may: ['link/offset'], records: 100 })
    .hidden('nextPageLink of a list of 100 records carries a cursor in $skiptoken instead of $skip.')
    .by(cursorInLinks),
  'link-ampersands-escaped': namesSize
    .having({ may: startsAgain })
    .hidden('The parameters of nextPageLink are joined by &amp; as in HTML.')
    .by(rewrite('linkQuery', (text) => text.replaceAll('&', '&amp;'))),
  'link-semicolons': namesSize
    .having({ may: startsAgain })
    .hidden('The parameters of nextPageLink are joined by semicolons.')
    .by(rewrite('linkQuery', (text) => text.replaceAll('&', ';'))),
  'link-query-lost': having({ keywords: ['nextpagelink'], may: startsAgain })
    .plain('nextPageLink has no query at all.')
    .by(rewrite('linkQuery', () => '')),
  'by-parameters-link-size-lost': having({ keywords: ['$pagesize'] })
    .subtle('nextPageLink has no $pagesize if the client requests a page by $skip.')
    .by(onPages(isByParameters)(removeLinkParameter('$pagesize'))),
  'link-without-skip-and-size': having({ keywords: ['no $skip', 'no $pagesize', '$count is 1'] })
    .plain('nextPageLink has neither $skip nor $pagesize, and $count=1.')
    .by(wrap('linkQuery', () => () => '$count=1&page=2')),
  'link-escaped-for-html': having({ keywords: ['$pagesize'] })
    .subtle('The ampersands of nextPageLink are escaped as for HTML.')
    .by(changeLink((link) => link.replaceAll('&', '&amp;'))),
  'link-escaped-twice': having({ keywords: ['$count'] })
    .subtle('The query of nextPageLink is percent-encoded twice.')
    .by(
      changeLink((link) =>
        link.replace(/\?(.*)$/, (_all, query: string) => `?${encodeURIComponent(encodeURIComponent(query))}`),
      ),
    ),
  'encoded-page-size-lost-in-link': having({ keywords: ['%24', '$pagesize'] })
    .subtle('The nextPageLink of a call with %24pagesize requests pages of 500.')
    .by(onPages(isEncoded('pagesize'))(setLinkValue('$pagesize', '500'))),
  'encoded-count-twice-in-link': having({ keywords: ['%24', '$count'] })
    .subtle('The nextPageLink of a call with %24count gives $count twice.')
    .by(onPages(isEncoded('count'))(changeLinkParameters((pairs) => [['%24count', 'true'], ...pairs]))),
});

const repeatsRecords = having({ may: ['traversal/no-duplicates'] });

const losesRecords = having({ may: ['traversal/same-records', 'count/equals-records'] });

const loops = having({ may: ['traversal/terminates', 'traversal/no-duplicates', 'traversal/same-records'] });

/** Counts offsets from a number other than 0, in links and when they are read. */
function countOffsetsFrom(first: number): Change {
  return composeChanges(
    changeOffset((skip) => skip + first),
    rewrite('skip', (skip) => Math.max(0, skip - first)),
  );
}

/** Links lead to the right page by a further parameter, whatever their $skip is. */
const offsetsInCursors = composeChanges(
  addLinkParameter('cursor', (page, service) => service.steps.endOffset(page, service)),
  rewrite('skip', (skip, page) => Number(valuesOf(page, 'cursor')[0] ?? skip)),
);

const offsets = defectsWith({ keywords: ['$skip'], must: ['link/offset'] })({
  'skip-in-pages': having({ may: ['traversal/by-parameters'] })
    .plain('$skip counts pages instead of records, in the link and when it is read.')
    .by(
      changeOffset((skip, page) => Math.round(skip / page.pageSize)),
      rewrite('skip', (skip, page) => skip * page.pageSize),
    ),
  'skip-from-one': having({ may: ['traversal/by-parameters'] })
    .plain('$skip is the number of the first record, from 1, in the link and when it is read.')
    .by(countOffsetsFrom(1)),
  'skip-from-hundred': having({ may: ['traversal/by-parameters'] })
    .hidden('$skip is too high by 100, in the link and when it is read.')
    .by(countOffsetsFrom(100)),
  'skip-one-too-few': repeatsRecords
    .hidden('$skip of nextPageLink is one too low, so the record at the page boundary comes twice.')
    // With one record per page the link would lead to the same page, which is another defect.
    .by(changeOffset((skip, page) => (page.pageSize > 1 ? skip - 1 : skip))),
  'skip-one-too-many': losesRecords
    .hidden('$skip of nextPageLink is one too high, so the record at the page boundary is lost.')
    .by(addToOffset(1)),
  'skip-is-page-number': having({ may: ['traversal/no-duplicates', 'traversal/same-records'] })
    .plain('$skip of nextPageLink is the number of this page, and is read as a number of records.')
    .by(changeOffset((_skip, page) => Math.floor(page.skip / page.pageSize) + 1)),
  'skip-stands-still': loops
    .plain('$skip of nextPageLink is the offset of this page, so the same page repeats endlessly.')
    .by(changeOffset((_skip, page) => page.skip)),
  'skip-is-page-size': loops
    .plain('$skip of nextPageLink is always the page size, so the second page repeats endlessly.')
    .by(changeOffset((_skip, page) => page.pageSize)),
  'skip-one-too-many-late': losesRecords
    .subtle('From record 400 on, $skip of nextPageLink is one too high.')
    .by(changeOffset((skip) => (skip >= 400 ? skip + 1 : skip))),
  'skip-drifts': repeatsRecords
    .subtle('From the third page on, $skip of nextPageLink is one too low.')
    .by(
      changeOffset((skip, page) => (page.pageSize > 1 && page.skip >= 2 * page.pageSize ? skip - 1 : skip)),
    ),
  'skip-doubles': losesRecords
    .hidden('$skip of nextPageLink on linked pages counts the page size twice.')
    .by(changeOffset((skip, page) => (page.skip > 0 ? skip + page.pageSize : skip))),
  'skip-one-too-many-at-500': losesRecords
    .subtle('$skip of nextPageLink is 501 after a first page of 500; other sizes are correct.')
    .by(changeOffset((skip, page) => (page.pageSize === 500 && skip === 500 ? 501 : skip))),
  'skip-one-too-many-at-100': losesRecords
    .subtle('With a page size of 100, $skip of nextPageLink is one too high; other sizes are correct.')
    .by(onPages(isOfSize(100))(addToOffset(1))),
  'skip-page-in-a-byte': loops
    .having({ needs: { suite: 'certify' } })
    .subtle(
      'The number of a page is kept in a byte: after 256 pages $skip of nextPageLink begins at 0 again.',
    )
    .by(changeOffset((skip, { pageSize }) => skip % (256 * pageSize))),
  'skip-overflow-10': loops
    .subtle('Only the lower ten bits of $skip in nextPageLink are kept: 1024 becomes 0.')
    .by(changeOffset((skip) => skip & 1023)),
  'skip-overflow-16': loops
    .having({ records: 34_000 })
    .subtle('$skip of nextPageLink is at most 32767, the largest signed 16-bit number.')
    .by(changeOffset((skip) => Math.min(skip, 32_767))),
  'capped-offset-of-size-asked': subtle(
    'If more than 500 records are requested, $skip of nextPageLink grows by the requested number.',
  ).by(onPages(isCapped)(changeOffset((_skip, page) => page.skip + Number(requestedSize(page))))),
  'by-parameters-offset-of-first-page': subtle(
    'nextPageLink leads to the second page if the client requests a page by $skip.',
  ).by(onPages(isByParameters)(changeOffset((_skip, page) => page.positions.length))),
  'deep-small-link-offset-one-less': subtle(
    'From $skip=1000 on, the $skip of nextPageLink is one too low if $pagesize is below 60.',
  ).by(onPages(isDeepAndSmall)(addToOffset(-1))),
  'skip-is-page-number-beside-cursor': subtle(
    '$skip of nextPageLink is the number of this page; a cursor in the link gives the right page.',
  ).by(
    offsetsInCursors,
    changeOffset((_skip, page) => Math.floor(page.skip / page.pageSize) + 1),
  ),
  'skip-one-too-many-beside-cursor': subtle(
    '$skip of nextPageLink is one too high; a cursor in the link gives the right page.',
  ).by(offsetsInCursors, addToOffset(1)),
  'skip-hexadecimal': having({ may: ['traversal/followable'] })
    .hidden('$skip of nextPageLink is a hexadecimal number.')
    .by(changeLinkValue('$skip', (skip) => `0x${Number(skip).toString(16)}`)),
  'link-offset-high-in-one-of-five': subtle(
    'In one of five answers with a link, $skip of nextPageLink is one too high.',
  ).by(everyNth(5)(addToOffset(1))),
  'second-client-own-offset-one-too-high': having({ keywords: ['second provider'] })
    .subtle('The second client has a list of its own, whose links lead one record too far.')
    .by(listOfSecondClient(addToOffset(1))),
});

/** Defects of the path, the query and the offset of nextPageLink. */
export const linkTargetDefects = [...references, ...queries, ...offsets];
