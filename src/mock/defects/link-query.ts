import type { RequirementId } from '../../core/requirement-id.ts';
import { defectsWith, having } from '../catalogue-rows.ts';
import { isCapped, isLinked, isOfSize, isUnsized } from '../page-tests.ts';
import { type Change, composeChanges, rewrite, valuesOf } from '../pipeline.ts';
import {
  addToOffset,
  changeLinkParameters,
  changeLinkValue,
  changeOffset,
  onPages,
  removeLinkParameter,
  setLinkValue,
} from '../step-changes.ts';

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
const leadsToFirstPage: readonly RequirementId[] = [
  'link/offset',
  'traversal/terminates',
  'traversal/followable',
];

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
  'link-skip-lost': having({ may: leadsToFirstPage })
    .plain('nextPageLink has no $skip, so it leads to the first page.')
    .by(removeLinkParameter('$skip')),
  'link-dollars-stripped': namesCount
    .having({ may: leadsToFirstPage })
    .hidden('The parameter names of nextPageLink lack their $.')
    .by(renameParameters((name) => name.slice(1))),
  'link-dollars-encoded-twice': namesCount
    .having({ may: leadsToFirstPage })
    .hidden('The parameter names of nextPageLink are encoded twice, $ as %2524.')
    .by(renameParameters((name) => name.replace('$', '%2524'))),
  'link-skip-twice': having({ may: leadsToFirstPage })
    .subtle('nextPageLink of a linked page keeps the old $skip and appends the new one.')
    .by(onPages(isLinked)(changeLinkParameters((pairs, page) => [['$skip', String(page.skip)], ...pairs]))),
  'link-size-twice': namesSize
    .having({ may: leadsToFirstPage })
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
    .having({ may: leadsToFirstPage })
    .hidden('The parameters of nextPageLink are joined by &amp; as in HTML.')
    .by(rewrite('linkQuery', (text) => text.replaceAll('&', '&amp;'))),
  'link-semicolons': namesSize
    .having({ may: leadsToFirstPage })
    .hidden('The parameters of nextPageLink are joined by semicolons.')
    .by(rewrite('linkQuery', (text) => text.replaceAll('&', ';'))),
  'link-query-lost': having({ keywords: ['nextpagelink'], may: leadsToFirstPage })
    .plain('nextPageLink has no query at all.')
    .by(rewrite('linkQuery', () => '')),
});

const repeatsRecords = having({ may: ['traversal/no-duplicates'] });
const losesRecords = having({ may: ['traversal/same-records', 'count/equals-records'] });
const loops = having({ may: ['traversal/terminates', 'traversal/no-duplicates', 'traversal/same-records'] });

const offsets = defectsWith({ keywords: ['$skip'], must: ['link/offset'] })({
  'skip-in-pages': having({ may: ['traversal/by-parameters'] })
    .plain('$skip counts pages instead of records, in the link and when it is read.')
    .by(
      changeOffset((skip, page) => Math.round(skip / page.pageSize)),
      rewrite('skip', (skip, page) => skip * page.pageSize),
    ),
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
});

/** Defects of the query of nextPageLink. */
export const linkQueryDefects = [...queries, ...offsets];
