import { MAX_PAGE_SIZE } from '../conforming/list.ts';
import { breach, type Defect, defectsOf, defectsWith, subtle } from '../defect.ts';
import {
  all,
  isByParameters,
  isCapped,
  isCounted,
  isEncoded,
  isFollowed,
  isFrom,
  isFull,
  isLinked,
  isUnsized,
  not,
  type PageTest,
  requestedSize,
} from '../page-tests.ts';
import {
  type Change,
  composeChanges,
  counting,
  type Page,
  rewrite,
  type Service,
  wrap,
} from '../pipeline.ts';
import {
  absoluteLink,
  addToCount,
  addToOffset,
  addToRecordCount,
  bareArray,
  changeLinkValue,
  changeOffset,
  changeRecordAt,
  countOfPage,
  emptyLink,
  onPages,
  refusePages,
  removeLinkParameter,
  setItemMembers,
  setPageSize,
  withLink,
  withoutCount,
  withoutLink,
} from '../step-changes.ts';
import { setTokenMembers } from '../token-changes.ts';
import { changeDuringReads, every, growAtEnd } from '../variants/data-changes.ts';

/** Pages of fewer records are small: a list with many such pages is rarely traversed. */
const SMALL = 60;

const isDeepAndSmall: PageTest = ({ pageSize, skip }) => skip >= 1000 && pageSize < SMALL;

/** Pages begin with a record that is not in the list. */
const beginElsewhere: Change = rewrite('positions', (positions, page) => positions.with(0, page.total + 5));

/** Breaches of pages for which more records than the maximum are requested. */
const capped = defectsOf({
  'capped-offset-of-size-asked': breach('link/offset', ['$skip'])(
    'If more than 500 records are requested, $skip of nextPageLink grows by the requested number.',
    onPages(isCapped)(changeOffset((_skip, page) => page.skip + Number(requestedSize(page)))),
  ),
  'capped-link-missing': breach('link/present-when-more', ['nextpagelink'])(
    'If more than 500 records are requested, no nextPageLink is given.',
    withoutLink(isCapped),
  ),
  'capped-link-at-the-end': breach('link/absent-at-the-end', ['nextpagelink'])(
    'If more than 500 records are requested, the last page has a nextPageLink.',
    withLink(all(isCapped, isCounted, isLinked)),
    { may: ['traversal/terminates'], needs: { suite: 'certify' } },
  ),
  'capped-link-without-count': breach('link/absent-without-count', ['nextpagelink'])(
    'If more than 500 records are requested, a nextPageLink is given without $count.',
    withLink(all(isCapped, isFollowed)),
  ),
  'capped-count-missing': breach('count/present', ['count'])(
    'If more than 500 records are requested, no count is given.',
    onPages(isCapped)(withoutCount),
  ),
  'capped-count-of-page': breach('count/stable', ['count'])(
    'If more than 500 records are requested, count is the number of records on the page.',
    onPages(isCapped)(countOfPage),
  ),
  'capped-one-short': breach('page-size/filled', ['record'])(
    'If more than 500 records are requested, a page holds 499.',
    onPages(isCapped)(rewrite('positions', (positions) => positions.slice(0, MAX_PAGE_SIZE - 1))),
  ),
  'capped-items-null': breach('list/items', ['agent'])(
    'agent is null in every item if more than 500 records are requested.',
    onPages(isCapped)(setItemMembers({ agent: null })),
  ),
  'capped-array': breach('list/envelope', ['array'])(
    'The answer is a bare array instead of an object if more than 500 records are requested.',
    onPages(isCapped)(bareArray),
  ),
});

/** Breaches of pages that the client requests without a link, or of a number. */
const direct = defectsOf({
  'by-parameters-link-absolute': breach('link/relative', ['absolute'])(
    'nextPageLink is absolute if the client requests a page by $skip.',
    onPages(isByParameters)(absoluteLink),
  ),
  'by-parameters-link-size-lost': breach('link/query', ['$pagesize'])(
    'nextPageLink has no $pagesize if the client requests a page by $skip.',
    onPages(isByParameters)(removeLinkParameter('$pagesize')),
  ),
  'link-at-end-of-jumps': breach('link/absent-at-the-end', ['nextpagelink'])(
    'The last page has a nextPageLink if it is full and holds fewer than 5 records.',
    withLink(
      all(isCounted, isFull, ({ skip, pageSize, total }) => pageSize < 5 && skip + pageSize === total),
    ),
  ),
  'by-parameters-offset-of-first-page': breach('link/offset', ['$skip'])(
    'nextPageLink leads to the second page if the client requests a page by $skip.',
    onPages(isByParameters)(changeOffset((_skip, page) => page.positions.length)),
  ),
  'skip-truncated-to-pages': breach('traversal/by-parameters', ['$skip'])(
    'Pages are addressed by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
    rewrite('skip', (skip, { pageSize }) => skip - (skip % pageSize)),
  ),
  'skip-rounded-up-to-pages': breach('traversal/by-parameters', ['$skip'])(
    'Pages are addressed by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next page.',
    rewrite('skip', (skip, { pageSize }) => Math.ceil(skip / pageSize) * pageSize),
  ),
});

/** Breaches of small pages far into the list. */
const deep = defectsOf({
  'deep-small-pages-refused': breach('traversal/by-parameters', ['400'])(
    'A page of fewer than 60 records with a $skip of 1,000 or more is answered 400.',
    refusePages(400, 'the offset is too large', isDeepAndSmall),
  ),
  'last-small-page-refused': breach('traversal/followable', ['400'])(
    'The last page is answered 400 if $pagesize is below 60.',
    refusePages(
      400,
      'the offset is too large',
      ({ pageSize, skip, total }) => pageSize < SMALL && pageSize > 2 && skip > 0 && skip + pageSize >= total,
    ),
    { may: ['traversal/by-parameters'] },
  ),
  'deep-small-link-offset-one-less': breach('link/offset', ['$skip'])(
    'From $skip=1000 on, the $skip of nextPageLink is one too low if $pagesize is below 60.',
    onPages(isDeepAndSmall)(addToOffset(-1)),
  ),
  'deep-small-pages-foreign-record': breach('traversal/same-records', ['never reaches'])(
    'A page of fewer than 60 records with a $skip of 1,000 or more begins with a record that no other page gives.',
    onPages(isDeepAndSmall)(beginElsewhere),
  ),
  'unaligned-pages-foreign-record': breach('traversal/same-records', ['never reaches'])(
    'A page whose $skip is not a multiple of its $pagesize begins with a record that no other page gives.',
    onPages(({ pageSize, skip, total }) => skip % pageSize > 0 && skip < total)(beginElsewhere),
    { may: ['traversal/by-parameters'] },
  ),
});

/** Breaches that show neither on first pages nor in most traversals: on capped, directly requested or deep pages. */
export const somePageDefects: readonly Defect[] = [...capped, ...direct, ...deep];

/** Issues the tokens of several caches in turn, each with an expires_in of 1800. */
function issueFromCaches(caches: number): Change {
  return composeChanges(
    wrap('issue', (issue) => {
      const cached = new Map<string, ReturnType<typeof issue>>();
      let requests = 0;
      return (grant, service) => {
        const key = `${grant.client.clientId} ${requests++ % caches}`;
        const known = cached.get(key) ?? issue(grant, service);
        cached.set(key, known);
        return known;
      };
    }),
    setTokenMembers({ expires_in: 1800 }),
  );
}

/** How many records follow a page. */
function recordsLeft(page: Page, service: Service): number {
  return page.total - service.steps.endOffset(page, service);
}

/** Breaches that show in one edge case only: each escapes if one condition of a check is removed. */
export const edgeCaseDefects: readonly Defect[] = defectsOf({
  'token-cached-constant-1800': breach('token/validity', ['expires_in', '1800'])(
    'One cached token is issued repeatedly with a constant expires_in of 1800.',
    issueFromCaches(1),
  ),
  'tokens-of-two-caches-constant-1800': breach('token/validity', ['expires_in', '1800'])(
    'Two cached tokens are issued in turn, with a constant expires_in of 1800.',
    issueFromCaches(2),
    { needs: { order: true } },
  ),
  'expires-in-one-short-every-third-time': breach('token/validity', ['expires_in', '3599'])(
    'expires_in is 3599 in every third answer, although each gives a new token.',
    counting((count) =>
      rewrite('tokenBody', (answer) => (count() % 3 === 1 ? { ...answer, expires_in: 3599 } : answer)),
    ),
    { needs: { order: true } },
  ),
  'encoded-count-too-high': breach('page-size/encoded-name', ['%24', 'count'])(
    'count is one too high if $count is written with %24.',
    onPages(isEncoded('count'))(addToCount(1)),
  ),
  'link-empty-before-the-last-page': breach('link/present-when-more', ['nextpagelink'])(
    'nextPageLink is an empty string on the page before the last.',
    onPages((page, service) => recordsLeft(page, service) <= page.pageSize)(emptyLink),
  ),
  'link-at-end-of-small-pages': breach('link/absent-at-the-end', ['nextpagelink'])(
    'The last page has a nextPageLink if it is full and holds fewer than 20 records.',
    withLink(
      all(isCounted, isFull, (page, service) => page.pageSize < 20 && recordsLeft(page, service) === 0),
    ),
  ),
  'link-missing-before-last-full-page': breach('link/present-when-more', ['nextpagelink'])(
    'A page after which exactly $pagesize records follow has no nextPageLink.',
    withoutLink((page, service) => recordsLeft(page, service) === page.pageSize),
  ),
  'link-at-end-of-unaligned-page': breach('link/absent-at-the-end', ['nextpagelink'])(
    'A full page of more than 10 records that ends with the last one has a nextPageLink if its $skip ' +
      'is not a multiple of $pagesize.',
    withLink(
      all(
        isCounted,
        isFull,
        ({ pageSize, skip, total }) => pageSize > 10 && skip % pageSize > 0 && skip + pageSize === total,
      ),
    ),
  ),
  'skip-hexadecimal': breach('link/offset', ['$skip'])(
    '$skip of nextPageLink is a hexadecimal number.',
    changeLinkValue('$skip', (skip) => `0x${Number(skip).toString(16)}`),
    { may: ['traversal/followable'], difficulty: 'hidden' },
  ),
  'records-others-without-count': breach('traversal/same-records', ['record'])(
    'Without $count the list gives different records than with it.',
    onPages(not(isCounted))(changeRecordAt((position, page) => position + page.total)),
    { may: ['traversal/by-parameters'] },
  ),
});

/** A breach of a list that grows by one record at every fifth read. */
function growing(breach: Change): Change {
  return composeChanges(changeDuringReads(growAtEnd, every(5)), breach);
}

/** Breaches that no growth explains: the list held the missing records whenever its length was seen. */
export const growingListDefects = defectsWith({
  keywords: ['record'],
  must: ['page-size/filled'],
  needs: { order: true },
})({
  'growing-default-100': breach('page-size/default', ['100 records'])(
    'A record is added at every fifth read, and without $pagesize a page holds 100 records.',
    growing(setPageSize(100, isUnsized)),
  ),
  'growing-one-less': subtle(
    'A record is added at every fifth read, and every page holds one record fewer than requested.',
  ).by(growing(addToRecordCount(-1))),
  'growing-without-third-page': breach('link/present-when-more', ['no nextpagelink'])(
    'A record is added at every fifth read, and no page behind the first two has a link to it.',
    growing(withoutLink(isFrom(500))),
  ),
});
