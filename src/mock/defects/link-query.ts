import type { RequirementId } from '../../core/requirement-id.ts';
import { type Defect, defectsWith, hidden, plain, subtle } from '../defect.ts';
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

const namesSize = { keywords: ['$pagesize'] };
const namesCount = { keywords: ['$count'] };

// Without readable parameters, the link leads to a first page.
const leadsToFirstPage: readonly RequirementId[] = [
  'link/offset',
  'traversal/terminates',
  'traversal/followable',
];

const queries = defectsWith({ keywords: ['$skip'], must: ['link/query'] })({
  'link-size-100-of-capped-page': subtle(
    'nextPageLink of a page for $pagesize above 500 says $pagesize=100, and the page holds 500 records.',
  ).by(onPages(isCapped)(setLinkValue('$pagesize', '100')), namesSize),
  'link-size-20-of-capped-page-within': subtle(
    'nextPageLink of a page for $pagesize above 500 behind $skip says $pagesize=20, and the page holds 500 records.',
  ).by(onPages(isLinked)(onPages(isCapped)(setLinkValue('$pagesize', '20'))), namesSize),
  'link-size-lost': plain('nextPageLink has no $pagesize, so linked pages have the default size.').by(
    removeLinkParameter('$pagesize'),
    namesSize,
  ),
  'link-count-lost': plain('nextPageLink has no $count, so linked pages have neither a link nor a count.').by(
    removeLinkParameter('$count'),
    namesCount,
  ),
  'link-skip-lost': plain('nextPageLink has no $skip, so it leads to the first page.').by(
    removeLinkParameter('$skip'),
    { may: leadsToFirstPage },
  ),
  'link-dollars-stripped': hidden('The parameter names of nextPageLink lack their $.').by(
    renameParameters((name) => name.slice(1)),
    { ...namesCount, may: leadsToFirstPage },
  ),
  'link-dollars-encoded-twice': hidden(
    'The parameter names of nextPageLink are encoded twice, $ as %2524.',
  ).by(
    renameParameters((name) => name.replace('$', '%2524')),
    { ...namesCount, may: leadsToFirstPage },
  ),
  'link-skip-twice': subtle('nextPageLink of a linked page keeps the old $skip and appends the new one.').by(
    onPages(isLinked)(changeLinkParameters((pairs, page) => [['$skip', String(page.skip)], ...pairs])),
    { may: leadsToFirstPage },
  ),
  'link-size-twice': hidden('nextPageLink gives $pagesize twice.').by(
    changeLinkParameters((pairs, page) => [...pairs, ['$pagesize', String(page.pageSize)]]),
    { ...namesSize, may: leadsToFirstPage },
  ),
  'link-count-false': hidden('nextPageLink says $count=false.').by(
    setLinkValue('$count', 'false'),
    namesCount,
  ),
  'link-count-empty': hidden('nextPageLink gives $count without a value.').by(
    setLinkValue('$count', ''),
    namesCount,
  ),
  'link-size-default': hidden('nextPageLink always says $pagesize=500 instead of the size in force.').by(
    setLinkValue('$pagesize', '500'),
    namesSize,
  ),
  'link-size-one-more': subtle('The $pagesize of nextPageLink is one more than the size in force.').by(
    changeLinkValue('$pagesize', (value) => String(Math.min(500, Number(value) + 1))),
    namesSize,
  ),
  'link-size-lost-late': subtle('On linked pages nextPageLink has no $pagesize; on first pages it has.').by(
    onPages(isLinked)(removeLinkParameter('$pagesize')),
    namesSize,
  ),
  'link-size-lost-by-default': subtle('nextPageLink has no $pagesize if none was requested.').by(
    onPages(isUnsized)(removeLinkParameter('$pagesize')),
    namesSize,
  ),
  'link-count-lost-late': subtle('On linked pages nextPageLink has no $count; on first pages it has.').by(
    onPages(isLinked)(removeLinkParameter('$count')),
    namesCount,
  ),
  'link-cursor': hidden('nextPageLink carries a cursor in $skiptoken instead of $skip.').by(
    composeChanges(
      renameParameters((name) => (name === '$skip' ? '$skiptoken' : name)),
      rewrite('skip', (skip, page) => Number(valuesOf(page, '$skiptoken')[0] ?? skip)),
    ),
    { may: ['link/offset'] },
  ),
  'link-ampersands-escaped': hidden('The parameters of nextPageLink are joined by &amp; as in HTML.').by(
    rewrite('linkQuery', (text) => text.replaceAll('&', '&amp;')),
    { ...namesSize, may: leadsToFirstPage },
  ),
  'link-semicolons': hidden('The parameters of nextPageLink are joined by semicolons.').by(
    rewrite('linkQuery', (text) => text.replaceAll('&', ';')),
    { ...namesSize, may: leadsToFirstPage },
  ),
  'link-query-lost': plain('nextPageLink has no query at all.').by(
    rewrite('linkQuery', () => ''),
    { keywords: ['nextpagelink'], may: leadsToFirstPage },
  ),
});

const repeatsRecords = { may: ['traversal/no-duplicates'] } as const;
const losesRecords = { may: ['traversal/same-records', 'count/equals-records'] } as const;
const loops = { may: ['traversal/terminates', 'traversal/no-duplicates', 'traversal/same-records'] } as const;

const offsets = defectsWith({ keywords: ['$skip'], must: ['link/offset'] })({
  'skip-in-pages': plain('$skip counts pages instead of records, in the link and when it is read.').by(
    composeChanges(
      changeOffset((skip, page) => Math.round(skip / page.pageSize)),
      rewrite('skip', (skip, page) => skip * page.pageSize),
    ),
    { may: ['traversal/by-parameters'] },
  ),
  'skip-one-too-few': hidden(
    '$skip of nextPageLink is one too low, so the record at the page boundary comes twice.',
  ).by(
    // With one record per page the link would lead to the same page, which is another defect.
    changeOffset((skip, page) => (page.pageSize > 1 ? skip - 1 : skip)),
    repeatsRecords,
  ),
  'skip-one-too-many': hidden(
    '$skip of nextPageLink is one too high, so the record at the page boundary is lost.',
  ).by(addToOffset(1), losesRecords),
  'skip-stands-still': plain(
    '$skip of nextPageLink is the offset of this page, so the same page repeats endlessly.',
  ).by(
    changeOffset((_skip, page) => page.skip),
    loops,
  ),
  'skip-is-page-size': plain(
    '$skip of nextPageLink is always the page size, so the second page repeats endlessly.',
  ).by(
    changeOffset((_skip, page) => page.pageSize),
    loops,
  ),
  'skip-one-too-many-late': subtle('From record 400 on, $skip of nextPageLink is one too high.').by(
    changeOffset((skip) => (skip >= 400 ? skip + 1 : skip)),
    losesRecords,
  ),
  'skip-drifts': subtle('From the third page on, $skip of nextPageLink is one too low.').by(
    changeOffset((skip, page) => (page.pageSize > 1 && page.skip >= 2 * page.pageSize ? skip - 1 : skip)),
    repeatsRecords,
  ),
  'skip-doubles': hidden('$skip of nextPageLink on linked pages counts the page size twice.').by(
    changeOffset((skip, page) => (page.skip > 0 ? skip + page.pageSize : skip)),
    losesRecords,
  ),
  'skip-one-too-many-at-500': subtle(
    '$skip of nextPageLink is 501 after a first page of 500; other sizes are correct.',
  ).by(
    changeOffset((skip, page) => (page.pageSize === 500 && skip === 500 ? 501 : skip)),
    losesRecords,
  ),
  'skip-one-too-many-at-100': subtle(
    'With a page size of 100, $skip of nextPageLink is one too high; other sizes are correct.',
  ).by(onPages(isOfSize(100))(addToOffset(1)), losesRecords),
  'skip-page-in-a-byte': subtle(
    'The number of a page is kept in a byte: after 256 pages $skip of nextPageLink begins at 0 again.',
  ).by(
    changeOffset((skip, { pageSize }) => skip % (256 * pageSize)),
    { ...loops, needs: { suite: 'certify' } },
  ),
  'skip-overflow-10': subtle('Only the lower ten bits of $skip in nextPageLink are kept: 1024 becomes 0.').by(
    changeOffset((skip) => skip & 1023),
    loops,
  ),
  'skip-overflow-16': subtle('$skip of nextPageLink is at most 32767, the largest signed 16-bit number.').by(
    changeOffset((skip) => Math.min(skip, 32_767)),
    { ...loops, records: 34_000 },
  ),
});

/** Defects of the query of nextPageLink. */
export const linkQueryDefects: readonly Defect[] = [...queries, ...offsets];
