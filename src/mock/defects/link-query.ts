import type { RequirementId } from '../../core/requirement-id.ts';
import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, type Page, valuesOf, wrap } from '../pipeline.ts';
import { changeLinkParameters, changeLinkValue, changeOffset, requestedSize } from '../step-changes.ts';

function changeQuery(rewrite: (text: string) => string): Change {
  return wrap('linkQuery', (inner) => (pairs, service) => rewrite(inner(pairs, service)));
}

function removeParameter(name: string, where: (page: Page) => boolean = () => true): Change {
  return changeLinkParameters((pairs, page) => (where(page) ? pairs.filter(([one]) => one !== name) : pairs));
}

function renameParameters(rename: (name: string) => string): Change {
  return changeLinkParameters((pairs) => pairs.map(([name, value]) => [rename(name), value]));
}

// Without readable parameters, the link leads to a first page.
const leadsToFirstPage: readonly RequirementId[] = [
  'link/offset',
  'traversal/terminates',
  'traversal/followable',
];

function queryDefect(
  difficulty: Difficulty,
  sentence: string,
  keyword: string,
  apply: Change,
  may: readonly RequirementId[] = [],
): DefectDraft {
  return { sentence, keywords: [keyword], must: ['link/query'], may, difficulty, apply };
}

/** A wrong page size in links of capped pages: more than 500 records were requested, and the page holds 500. */
function sizeOfCappedLink(size: string, words: string, where: (page: Page) => boolean): DefectDraft {
  const apply = changeLinkValue('$pagesize', (value, page) => {
    const isCapped = Number(requestedSize(page)) > MAX_PAGE_SIZE;
    return isCapped && where(page) ? size : value;
  });
  const sentence =
    `nextPageLink of a page for $pagesize above 500${words} says $pagesize=${size}, ` +
    'and the page holds 500 records.';
  return queryDefect('subtle', sentence, '$pagesize', apply);
}

const queries = defectsOf({
  'link-size-100-of-capped-page': sizeOfCappedLink('100', '', () => true),
  'link-size-20-of-capped-page-within': sizeOfCappedLink('20', ' behind $skip', ({ skip }) => skip > 0),
  'link-size-lost': queryDefect(
    'plain',
    'nextPageLink has no $pagesize, so linked pages have the default size.',
    '$pagesize',
    removeParameter('$pagesize'),
  ),
  'link-count-lost': queryDefect(
    'plain',
    'nextPageLink has no $count, so linked pages have neither a link nor a count.',
    '$count',
    removeParameter('$count'),
  ),
  'link-skip-lost': queryDefect(
    'plain',
    'nextPageLink has no $skip, so it leads to the first page.',
    '$skip',
    removeParameter('$skip'),
    leadsToFirstPage,
  ),
  'link-dollars-stripped': queryDefect(
    'hidden',
    'The parameter names of nextPageLink lack their $.',
    '$count',
    renameParameters((name) => name.slice(1)),
    leadsToFirstPage,
  ),
  'link-dollars-encoded-twice': queryDefect(
    'hidden',
    'The parameter names of nextPageLink are encoded twice, $ as %2524.',
    '$count',
    renameParameters((name) => name.replace('$', '%2524')),
    leadsToFirstPage,
  ),
  'link-skip-twice': queryDefect(
    'subtle',
    'nextPageLink of a linked page keeps the old $skip and appends the new one.',
    '$skip',
    changeLinkParameters((pairs, page) => (page.skip > 0 ? [['$skip', String(page.skip)], ...pairs] : pairs)),
    leadsToFirstPage,
  ),
  'link-size-twice': queryDefect(
    'hidden',
    'nextPageLink gives $pagesize twice.',
    '$pagesize',
    changeLinkParameters((pairs, page) => [...pairs, ['$pagesize', String(page.pageSize)]]),
    leadsToFirstPage,
  ),
  'link-count-false': queryDefect(
    'hidden',
    'nextPageLink says $count=false.',
    '$count',
    changeLinkValue('$count', () => 'false'),
  ),
  'link-count-empty': queryDefect(
    'hidden',
    'nextPageLink gives $count without a value.',
    '$count',
    changeLinkValue('$count', () => ''),
  ),
  'link-size-default': queryDefect(
    'hidden',
    'nextPageLink always says $pagesize=500 instead of the size in force.',
    '$pagesize',
    changeLinkValue('$pagesize', () => '500'),
  ),
  'link-size-one-more': queryDefect(
    'subtle',
    'The $pagesize of nextPageLink is one more than the size in force.',
    '$pagesize',
    changeLinkValue('$pagesize', (value) => String(Math.min(500, Number(value) + 1))),
  ),
  'link-size-lost-late': queryDefect(
    'subtle',
    'On linked pages nextPageLink has no $pagesize; on first pages it has.',
    '$pagesize',
    removeParameter('$pagesize', (page) => page.skip > 0),
  ),
  'link-size-lost-by-default': queryDefect(
    'subtle',
    'nextPageLink has no $pagesize if none was requested.',
    '$pagesize',
    removeParameter('$pagesize', (page) => valuesOf(page, '$pagesize').length === 0),
  ),
  'link-count-lost-late': queryDefect(
    'subtle',
    'On linked pages nextPageLink has no $count; on first pages it has.',
    '$count',
    removeParameter('$count', (page) => page.skip > 0),
  ),
  'link-cursor': queryDefect(
    'hidden',
    'nextPageLink carries a cursor in $skiptoken instead of $skip.',
    '$skip',
    (steps) => ({
      ...changeLinkParameters((pairs) =>
        pairs.map(([name, value]) => (name === '$skip' ? ['$skiptoken', value] : [name, value])),
      )(steps),
      skip: (page, service) => {
        const cursor = valuesOf(page, '$skiptoken')[0];
        return cursor === undefined ? steps.skip(page, service) : Number(cursor);
      },
    }),
    ['link/offset'],
  ),
  'link-ampersands-escaped': queryDefect(
    'hidden',
    'The parameters of nextPageLink are joined by &amp; as in HTML.',
    '$pagesize',
    changeQuery((text) => text.replaceAll('&', '&amp;')),
    leadsToFirstPage,
  ),
  'link-semicolons': queryDefect(
    'hidden',
    'The parameters of nextPageLink are joined by semicolons.',
    '$pagesize',
    changeQuery((text) => text.replaceAll('&', ';')),
    leadsToFirstPage,
  ),
  'link-query-lost': queryDefect(
    'plain',
    'nextPageLink has no query at all.',
    'nextpagelink',
    changeQuery(() => ''),
    leadsToFirstPage,
  ),
});

function offsetDefect(
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  may: readonly RequirementId[],
  records?: number,
): DefectDraft {
  const size = records === undefined ? {} : { records };
  return { sentence, keywords: ['$skip'], must: ['link/offset'], may, difficulty, apply, ...size };
}

const repeatsRecords: readonly RequirementId[] = ['traversal/no-duplicates'];
const losesRecords: readonly RequirementId[] = ['traversal/same-records', 'count/equals-records'];
const loops: readonly RequirementId[] = [
  'traversal/terminates',
  'traversal/no-duplicates',
  'traversal/same-records',
];

const offsets = defectsOf({
  'skip-in-pages': offsetDefect(
    'plain',
    '$skip counts pages instead of records, in the link and when it is read.',
    (steps) => ({
      ...changeOffset((skip, page) => Math.round(skip / page.pageSize))(steps),
      skip: (page, service) => steps.skip(page, service) * page.pageSize,
    }),
    ['traversal/by-parameters'],
  ),
  'skip-one-too-few': offsetDefect(
    'hidden',
    '$skip of nextPageLink is one too low, so the record at the page boundary comes twice.',
    changeOffset((skip, page) => {
      // With one record per page the link would lead to the same page, which is another defect.
      return page.pageSize > 1 ? skip - 1 : skip;
    }),
    repeatsRecords,
  ),
  'skip-one-too-many': offsetDefect(
    'hidden',
    '$skip of nextPageLink is one too high, so the record at the page boundary is lost.',
    changeOffset((skip) => skip + 1),
    losesRecords,
  ),
  'skip-stands-still': offsetDefect(
    'plain',
    '$skip of nextPageLink is the offset of this page, so the same page repeats endlessly.',
    changeOffset((_skip, page) => page.skip),
    loops,
  ),
  'skip-is-page-size': offsetDefect(
    'plain',
    '$skip of nextPageLink is always the page size, so the second page repeats endlessly.',
    changeOffset((_skip, page) => page.pageSize),
    loops,
  ),
  'skip-one-too-many-late': offsetDefect(
    'subtle',
    'From record 400 on, $skip of nextPageLink is one too high.',
    changeOffset((skip) => (skip >= 400 ? skip + 1 : skip)),
    losesRecords,
  ),
  'skip-drifts': offsetDefect(
    'subtle',
    'From the third page on, $skip of nextPageLink is one too low.',
    changeOffset((skip, page) => (page.pageSize > 1 && page.skip >= 2 * page.pageSize ? skip - 1 : skip)),
    repeatsRecords,
  ),
  'skip-doubles': offsetDefect(
    'hidden',
    '$skip of nextPageLink on linked pages counts the page size twice.',
    changeOffset((skip, page) => (page.skip > 0 ? skip + page.pageSize : skip)),
    losesRecords,
  ),
  'skip-one-too-many-at-500': offsetDefect(
    'subtle',
    '$skip of nextPageLink is 501 after a first page of 500; other sizes are correct.',
    changeOffset((skip, page) => (page.pageSize === 500 && skip === 500 ? 501 : skip)),
    losesRecords,
  ),
  'skip-one-too-many-at-100': offsetDefect(
    'subtle',
    'With a page size of 100, $skip of nextPageLink is one too high; other sizes are correct.',
    changeOffset((skip, page) => (page.pageSize === 100 ? skip + 1 : skip)),
    losesRecords,
  ),
  'skip-page-in-a-byte': {
    ...offsetDefect(
      'subtle',
      'The number of a page is kept in a byte: after 256 pages $skip of nextPageLink begins at 0 again.',
      changeOffset((skip, { pageSize }) => skip % (256 * pageSize)),
      loops,
    ),
    needs: { suite: 'certify' },
  },
  'skip-overflow-10': offsetDefect(
    'subtle',
    'Only the lower ten bits of $skip in nextPageLink are kept: 1024 becomes 0.',
    changeOffset((skip) => skip & 1023),
    loops,
  ),
  'skip-overflow-16': offsetDefect(
    'subtle',
    '$skip of nextPageLink is at most 32767, the largest signed 16-bit number.',
    changeOffset((skip) => Math.min(skip, 32_767)),
    loops,
    34_000,
  ),
});

/** Defects of the query of nextPageLink. */
export const linkQueryDefects: readonly Defect[] = [...queries, ...offsets];
