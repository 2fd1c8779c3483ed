import type { RequirementId } from '../../core/requirement-id.ts';
import { type Defect, defectsWith, hidden, plain, subtle } from '../catalogue-rows.ts';
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
    namesSize,
  ).by(onPages(isCapped)(setLinkValue('$pagesize', '100'))),
  'link-size-20-of-capped-page-within': subtle(
    'nextPageLink of a page for $pagesize above 500 behind $skip says $pagesize=20, and the page holds 500 records.',
    namesSize,
  ).by(onPages(isLinked)(onPages(isCapped)(setLinkValue('$pagesize', '20')))),
  'link-size-lost': plain(
    'nextPageLink has no $pagesize, so linked pages have the default size.',
    namesSize,
  ).by(removeLinkParameter('$pagesize')),
  'link-count-lost': plain(
    'nextPageLink has no $count, so linked pages have neither a link nor a count.',
    namesCount,
  ).by(removeLinkParameter('$count')),
  'link-skip-lost': plain('nextPageLink has no $skip, so it leads to the first page.', {
    may: leadsToFirstPage,
  }).by(removeLinkParameter('$skip')),
  'link-dollars-stripped': hidden('The parameter names of nextPageLink lack their $.', {
    ...namesCount,
    may: leadsToFirstPage,
  }).by(renameParameters((name) => name.slice(1))),
  'link-dollars-encoded-twice': hidden('The parameter names of nextPageLink are encoded twice, $ as %2524.', {
    ...namesCount,
    may: leadsToFirstPage,
  }).by(renameParameters((name) => name.replace('$', '%2524'))),
  'link-skip-twice': subtle('nextPageLink of a linked page keeps the old $skip and appends the new one.', {
    may: leadsToFirstPage,
  }).by(onPages(isLinked)(changeLinkParameters((pairs, page) => [['$skip', String(page.skip)], ...pairs]))),
  'link-size-twice': hidden('nextPageLink gives $pagesize twice.', {
    ...namesSize,
    may: leadsToFirstPage,
  }).by(changeLinkParameters((pairs, page) => [...pairs, ['$pagesize', String(page.pageSize)]])),
  'link-count-false': hidden('nextPageLink says $count=false.', namesCount).by(
    setLinkValue('$count', 'false'),
  ),
  'link-count-empty': hidden('nextPageLink gives $count without a value.', namesCount).by(
    setLinkValue('$count', ''),
  ),
  'link-size-default': hidden(
    'nextPageLink always says $pagesize=500 instead of the size in force.',
    namesSize,
  ).by(setLinkValue('$pagesize', '500')),
  'link-size-one-more': subtle(
    'The $pagesize of nextPageLink is one more than the size in force.',
    namesSize,
  ).by(changeLinkValue('$pagesize', (value) => String(Math.min(500, Number(value) + 1)))),
  'link-size-lost-late': subtle(
    'On linked pages nextPageLink has no $pagesize; on first pages it has.',
    namesSize,
  ).by(onPages(isLinked)(removeLinkParameter('$pagesize'))),
  'link-size-lost-by-default': subtle('nextPageLink has no $pagesize if none was requested.', namesSize).by(
    onPages(isUnsized)(removeLinkParameter('$pagesize')),
  ),
  'link-count-lost-late': subtle(
    'On linked pages nextPageLink has no $count; on first pages it has.',
    namesCount,
  ).by(onPages(isLinked)(removeLinkParameter('$count'))),
  'link-cursor': hidden('nextPageLink carries a cursor in $skiptoken instead of $skip.', {
    may: ['link/offset'],
  }).by(
    composeChanges(
      renameParameters((name) => (name === '$skip' ? '$skiptoken' : name)),
      rewrite('skip', (skip, page) => Number(valuesOf(page, '$skiptoken')[0] ?? skip)),
    ),
  ),
  'link-ampersands-escaped': hidden('The parameters of nextPageLink are joined by &amp; as in HTML.', {
    ...namesSize,
    may: leadsToFirstPage,
  }).by(rewrite('linkQuery', (text) => text.replaceAll('&', '&amp;'))),
  'link-semicolons': hidden('The parameters of nextPageLink are joined by semicolons.', {
    ...namesSize,
    may: leadsToFirstPage,
  }).by(rewrite('linkQuery', (text) => text.replaceAll('&', ';'))),
  'link-query-lost': plain('nextPageLink has no query at all.', {
    keywords: ['nextpagelink'],
    may: leadsToFirstPage,
  }).by(rewrite('linkQuery', () => '')),
});

const repeatsRecords = { may: ['traversal/no-duplicates'] } as const;
const losesRecords = { may: ['traversal/same-records', 'count/equals-records'] } as const;
const loops = { may: ['traversal/terminates', 'traversal/no-duplicates', 'traversal/same-records'] } as const;

const offsets = defectsWith({ keywords: ['$skip'], must: ['link/offset'] })({
  'skip-in-pages': plain('$skip counts pages instead of records, in the link and when it is read.', {
    may: ['traversal/by-parameters'],
  }).by(
    composeChanges(
      changeOffset((skip, page) => Math.round(skip / page.pageSize)),
      rewrite('skip', (skip, page) => skip * page.pageSize),
    ),
  ),
  'skip-one-too-few': hidden(
    '$skip of nextPageLink is one too low, so the record at the page boundary comes twice.',
    repeatsRecords,
  ).by(changeOffset((skip, page) => (page.pageSize > 1 ? skip - 1 : skip))),
  'skip-one-too-many': hidden(
    '$skip of nextPageLink is one too high, so the record at the page boundary is lost.',
    losesRecords,
  ).by(addToOffset(1)),
  'skip-stands-still': plain(
    '$skip of nextPageLink is the offset of this page, so the same page repeats endlessly.',
    loops,
  ).by(changeOffset((_skip, page) => page.skip)),
  'skip-is-page-size': plain(
    '$skip of nextPageLink is always the page size, so the second page repeats endlessly.',
    loops,
  ).by(changeOffset((_skip, page) => page.pageSize)),
  'skip-one-too-many-late': subtle(
    'From record 400 on, $skip of nextPageLink is one too high.',
    losesRecords,
  ).by(changeOffset((skip) => (skip >= 400 ? skip + 1 : skip))),
  'skip-drifts': subtle('From the third page on, $skip of nextPageLink is one too low.', repeatsRecords).by(
    changeOffset((skip, page) => (page.pageSize > 1 && page.skip >= 2 * page.pageSize ? skip - 1 : skip)),
  ),
  'skip-doubles': hidden(
    '$skip of nextPageLink on linked pages counts the page size twice.',
    losesRecords,
  ).by(changeOffset((skip, page) => (page.skip > 0 ? skip + page.pageSize : skip))),
  'skip-one-too-many-at-500': subtle(
    '$skip of nextPageLink is 501 after a first page of 500; other sizes are correct.',
    losesRecords,
  ).by(changeOffset((skip, page) => (page.pageSize === 500 && skip === 500 ? 501 : skip))),
  'skip-one-too-many-at-100': subtle(
    'With a page size of 100, $skip of nextPageLink is one too high; other sizes are correct.',
    losesRecords,
  ).by(onPages(isOfSize(100))(addToOffset(1))),
  'skip-page-in-a-byte': subtle(
    'The number of a page is kept in a byte: after 256 pages $skip of nextPageLink begins at 0 again.',
    { ...loops, needs: { suite: 'certify' } },
  ).by(changeOffset((skip, { pageSize }) => skip % (256 * pageSize))),
  'skip-overflow-10': subtle(
    'Only the lower ten bits of $skip in nextPageLink are kept: 1024 becomes 0.',
    loops,
  ).by(changeOffset((skip) => skip & 1023)),
  'skip-overflow-16': subtle('$skip of nextPageLink is at most 32767, the largest signed 16-bit number.', {
    ...loops,
    records: 34_000,
  }).by(changeOffset((skip) => Math.min(skip, 32_767))),
});

/** Defects of the query of nextPageLink. */
export const linkQueryDefects: readonly Defect[] = [...queries, ...offsets];
