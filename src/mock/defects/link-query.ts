import type { RequirementId } from '../../core/requirement-id.ts';
import type { DefectDraft, Difficulty } from '../defect.ts';
import { type Change, type Page, type Service, valuesOf, wrap } from '../pipeline.ts';

type Pairs = readonly (readonly [string, string])[];

function parameters(rewrite: (pairs: Pairs, page: Page) => Pairs): Change {
  return wrap('linkParameters', (inner) => (page, service) => rewrite(inner(page, service), page));
}

function query(rewrite: (text: string) => string): Change {
  return wrap('linkQuery', (inner) => (pairs, service) => rewrite(inner(pairs, service)));
}

function without(name: string, where: (page: Page) => boolean = () => true): Change {
  return parameters((pairs, page) => (where(page) ? pairs.filter(([one]) => one !== name) : pairs));
}

function valued(name: string, value: (before: string, page: Page) => string): Change {
  return parameters((pairs, page) =>
    pairs.map(([one, before]) => [one, one === name ? value(before, page) : before]),
  );
}

function renamed(rename: (name: string) => string): Change {
  return parameters((pairs) => pairs.map(([name, value]) => [rename(name), value]));
}

// A link whose parameters cannot be read leads back to a first page.
const leadsBack: readonly RequirementId[] = ['link/offset', 'traversal/terminates', 'traversal/followable'];

function queryDefect(
  id: string,
  difficulty: Difficulty,
  sentence: string,
  keyword: string,
  apply: Change,
  may: readonly RequirementId[] = [],
): DefectDraft {
  return { id, sentence, keywords: [keyword], must: ['link/query'], may, difficulty, apply };
}

const queries: readonly DefectDraft[] = [
  queryDefect(
    'link-size-lost',
    'plain',
    'nextPageLink has no $pagesize, so linked pages have the default size.',
    '$pagesize',
    without('$pagesize'),
  ),
  queryDefect(
    'link-count-lost',
    'plain',
    'nextPageLink has no $count, so linked pages give neither link nor count.',
    '$count',
    without('$count'),
  ),
  queryDefect(
    'link-skip-lost',
    'plain',
    'nextPageLink has no $skip and so leads to the first page.',
    '$skip',
    without('$skip'),
    leadsBack,
  ),
  queryDefect(
    'link-dollars-stripped',
    'hidden',
    'The parameter names of nextPageLink have lost their $.',
    '$count',
    renamed((name) => name.slice(1)),
    leadsBack,
  ),
  queryDefect(
    'link-dollars-encoded-twice',
    'hidden',
    'The parameter names of nextPageLink are encoded twice, $ as %2524.',
    '$count',
    renamed((name) => name.replace('$', '%2524')),
    leadsBack,
  ),
  queryDefect(
    'link-skip-twice',
    'subtle',
    'nextPageLink of a linked page keeps the old $skip and appends the new one.',
    '$skip',
    parameters((pairs, page) => {
      return page.skip > 0 ? [['$skip', String(page.skip)], ...pairs] : pairs;
    }),
    leadsBack,
  ),
  queryDefect(
    'link-size-twice',
    'hidden',
    'nextPageLink gives $pagesize twice.',
    '$pagesize',
    parameters((pairs, page) => [...pairs, ['$pagesize', String(page.pageSize)]]),
    leadsBack,
  ),
  queryDefect(
    'link-count-false',
    'hidden',
    'nextPageLink says $count=false.',
    '$count',
    valued('$count', () => 'false'),
  ),
  queryDefect(
    'link-count-empty',
    'hidden',
    'nextPageLink gives $count without a value.',
    '$count',
    valued('$count', () => ''),
  ),
  queryDefect(
    'link-size-default',
    'hidden',
    'nextPageLink always says $pagesize=500 instead of the size in force.',
    '$pagesize',
    valued('$pagesize', () => '500'),
  ),
  queryDefect(
    'link-size-one-more',
    'subtle',
    'The $pagesize of nextPageLink is one more than the size in force.',
    '$pagesize',
    valued('$pagesize', (value) => {
      return String(Math.min(500, Number(value) + 1));
    }),
  ),
  queryDefect(
    'link-size-lost-late',
    'subtle',
    'nextPageLink of linked pages has no $pagesize; that of first pages has.',
    '$pagesize',
    without('$pagesize', (page) => page.skip > 0),
  ),
  queryDefect(
    'link-size-lost-by-default',
    'subtle',
    'nextPageLink has no $pagesize where none was asked for.',
    '$pagesize',
    without('$pagesize', (page) => valuesOf(page, '$pagesize').length === 0),
  ),
  queryDefect(
    'link-count-lost-late',
    'subtle',
    'nextPageLink of linked pages has no $count; that of first pages has.',
    '$count',
    without('$count', (page) => page.skip > 0),
  ),
  queryDefect(
    'link-cursor',
    'hidden',
    'nextPageLink carries a cursor in $skiptoken instead of $skip.',
    '$skip',
    (steps) => ({
      ...parameters((pairs) =>
        pairs.map(([name, value]) => (name === '$skip' ? ['$skiptoken', value] : [name, value])),
      )(steps),
      skip: (page, service) => {
        const cursor = valuesOf(page, '$skiptoken')[0];
        return cursor === undefined ? steps.skip(page, service) : Number(cursor);
      },
    }),
    ['link/offset'],
  ),
  queryDefect(
    'link-ampersands-escaped',
    'hidden',
    'The parameters of nextPageLink are joined by &amp; as in HTML.',
    '$pagesize',
    query((text) => text.replaceAll('&', '&amp;')),
    leadsBack,
  ),
  queryDefect(
    'link-semicolons',
    'hidden',
    'The parameters of nextPageLink are joined by semicolons.',
    '$pagesize',
    query((text) => text.replaceAll('&', ';')),
    leadsBack,
  ),
  queryDefect(
    'link-query-lost',
    'plain',
    'nextPageLink has no query at all.',
    'nextpagelink',
    query(() => ''),
    leadsBack,
  ),
];

/** Rewrites the $skip of links. */
function offset(rewrite: (skip: number, page: Page, service: Service) => number): Change {
  return wrap(
    'linkParameters',
    (inner) => (page, service) =>
      inner(page, service).map(([name, value]) => [
        name,
        name === '$skip' ? String(rewrite(Number(value), page, service)) : value,
      ]),
  );
}

function offsetDefect(
  id: string,
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  may: readonly RequirementId[],
  records?: number,
): DefectDraft {
  const size = records === undefined ? {} : { records };
  return { id, sentence, keywords: ['$skip'], must: ['link/offset'], may, difficulty, apply, ...size };
}

const repeats: readonly RequirementId[] = ['traversal/no-duplicates'];
const loses: readonly RequirementId[] = ['traversal/same-records', 'count/equals-records'];
const circles: readonly RequirementId[] = [
  'traversal/terminates',
  'traversal/no-duplicates',
  'traversal/same-records',
];

const offsets: readonly DefectDraft[] = [
  offsetDefect(
    'skip-in-pages',
    'plain',
    '$skip counts pages instead of records, in the link and when it is read.',
    (steps) => ({
      ...offset((skip, page) => Math.round(skip / page.pageSize))(steps),
      skip: (page, service) => steps.skip(page, service) * page.pageSize,
    }),
    ['traversal/by-parameters'],
  ),
  offsetDefect(
    'skip-one-too-few',
    'hidden',
    '$skip of nextPageLink is one too few, so the boundary record comes twice.',
    offset((skip, page) => {
      // With one record per page it would stand still, which is a defect of its own.
      return page.pageSize > 1 ? skip - 1 : skip;
    }),
    repeats,
  ),
  offsetDefect(
    'skip-one-too-many',
    'hidden',
    '$skip of nextPageLink is one too many, so the boundary record is lost.',
    offset((skip) => skip + 1),
    loses,
  ),
  offsetDefect(
    'skip-stands-still',
    'plain',
    '$skip of nextPageLink is where this page began, so the same page comes for ever.',
    offset((_skip, page) => page.skip),
    circles,
  ),
  offsetDefect(
    'skip-is-page-size',
    'plain',
    '$skip of nextPageLink is always the page size, so the second page comes for ever.',
    offset((_skip, page) => page.pageSize),
    circles,
  ),
  offsetDefect(
    'skip-one-too-many-late',
    'subtle',
    'From record 400 on, $skip of nextPageLink is one too many.',
    offset((skip) => (skip >= 400 ? skip + 1 : skip)),
    loses,
  ),
  offsetDefect(
    'skip-drifts',
    'subtle',
    '$skip of nextPageLink falls behind by one record from the third page on.',
    offset((skip, page) => {
      return page.pageSize > 1 && page.skip >= 2 * page.pageSize ? skip - 1 : skip;
    }),
    repeats,
  ),
  offsetDefect(
    'skip-doubles',
    'hidden',
    '$skip of nextPageLink on linked pages counts the page size twice.',
    offset((skip, page) => {
      return page.skip > 0 ? skip + page.pageSize : skip;
    }),
    loses,
  ),
  offsetDefect(
    'skip-one-too-many-at-500',
    'subtle',
    '$skip of nextPageLink is 501 after a first page of 500; other sizes are right.',
    offset((skip, page) => {
      return page.pageSize === 500 && skip === 500 ? 501 : skip;
    }),
    loses,
  ),
  offsetDefect(
    'skip-one-too-many-at-100',
    'subtle',
    'With a page size of 100, $skip of nextPageLink is one too many; other sizes are right.',
    offset((skip, page) => {
      return page.pageSize === 100 ? skip + 1 : skip;
    }),
    loses,
  ),
  offsetDefect(
    'skip-overflow-10',
    'subtle',
    '$skip of nextPageLink loses all but its lower ten bits: 1024 becomes 0.',
    offset((skip) => skip & 1023),
    circles,
  ),
  offsetDefect(
    'skip-overflow-16',
    'subtle',
    '$skip of nextPageLink stops at 32767, the largest number of 16 bits.',
    offset((skip) => Math.min(skip, 32_767)),
    circles,
    34_000,
  ),
];

/** What is wrong with the query of nextPageLink. */
export const linkQueryDefects: readonly DefectDraft[] = [...queries, ...offsets];
