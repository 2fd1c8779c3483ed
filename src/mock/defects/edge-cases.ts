import { type Defect, defectsWith, hidden, subtle } from '../catalogue-rows.ts';
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
  MAX_PAGE_SIZE,
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
const capped = defectsWith({})({
  'capped-offset-of-size-asked': subtle(
    'If more than 500 records are requested, $skip of nextPageLink grows by the requested number.',
    { must: ['link/offset'], keywords: ['$skip'] },
  ).by(onPages(isCapped)(changeOffset((_skip, page) => page.skip + Number(requestedSize(page))))),
  'capped-link-missing': subtle('If more than 500 records are requested, no nextPageLink is given.', {
    must: ['link/present-when-more'],
    keywords: ['nextpagelink'],
  }).by(withoutLink(isCapped)),
  'capped-link-at-the-end': subtle(
    'If more than 500 records are requested, the last page has a nextPageLink.',
    {
      must: ['link/absent-at-the-end'],
      keywords: ['nextpagelink'],
      may: ['traversal/terminates'],
      needs: { suite: 'certify' },
    },
  ).by(withLink(all(isCapped, isCounted, isLinked))),
  'capped-link-without-count': subtle(
    'If more than 500 records are requested, a nextPageLink is given without $count.',
    { must: ['link/absent-without-count'], keywords: ['nextpagelink'] },
  ).by(withLink(all(isCapped, isFollowed))),
  'capped-count-missing': subtle('If more than 500 records are requested, no count is given.', {
    must: ['count/present'],
    keywords: ['count'],
  }).by(onPages(isCapped)(withoutCount)),
  'capped-count-of-page': subtle(
    'If more than 500 records are requested, count is the number of records on the page.',
    { must: ['count/stable'], keywords: ['count'] },
  ).by(onPages(isCapped)(countOfPage)),
  'capped-one-short': subtle('If more than 500 records are requested, a page holds 499.', {
    must: ['page-size/filled'],
    keywords: ['record'],
  }).by(onPages(isCapped)(rewrite('positions', (positions) => positions.slice(0, MAX_PAGE_SIZE - 1)))),
  'capped-items-null': subtle('agent is null in every item if more than 500 records are requested.', {
    must: ['list/items'],
    keywords: ['agent'],
  }).by(onPages(isCapped)(setItemMembers({ agent: null }))),
  'capped-array': subtle(
    'The answer is a bare array instead of an object if more than 500 records are requested.',
    { must: ['list/envelope'], keywords: ['array'] },
  ).by(onPages(isCapped)(bareArray)),
});

/** Breaches of pages that the client requests without a link, or of a number. */
const direct = defectsWith({})({
  'by-parameters-link-absolute': subtle('nextPageLink is absolute if the client requests a page by $skip.', {
    must: ['link/relative'],
    keywords: ['absolute'],
  }).by(onPages(isByParameters)(absoluteLink)),
  'by-parameters-link-size-lost': subtle(
    'nextPageLink has no $pagesize if the client requests a page by $skip.',
    { must: ['link/query'], keywords: ['$pagesize'] },
  ).by(onPages(isByParameters)(removeLinkParameter('$pagesize'))),
  'link-at-end-of-jumps': subtle(
    'The last page has a nextPageLink if it is full and holds fewer than 5 records.',
    { must: ['link/absent-at-the-end'], keywords: ['nextpagelink'] },
  ).by(
    withLink(
      all(isCounted, isFull, ({ skip, pageSize, total }) => pageSize < 5 && skip + pageSize === total),
    ),
  ),
  'by-parameters-offset-of-first-page': subtle(
    'nextPageLink leads to the second page if the client requests a page by $skip.',
    { must: ['link/offset'], keywords: ['$skip'] },
  ).by(onPages(isByParameters)(changeOffset((_skip, page) => page.positions.length))),
  'skip-truncated-to-pages': subtle(
    'Pages are addressed by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
    { must: ['traversal/by-parameters'], keywords: ['$skip'] },
  ).by(rewrite('skip', (skip, { pageSize }) => skip - (skip % pageSize))),
  'skip-rounded-up-to-pages': subtle(
    'Pages are addressed by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next page.',
    { must: ['traversal/by-parameters'], keywords: ['$skip'] },
  ).by(rewrite('skip', (skip, { pageSize }) => Math.ceil(skip / pageSize) * pageSize)),
});

/** Breaches of small pages far into the list. */
const deep = defectsWith({})({
  'deep-small-pages-refused': subtle(
    'A page of fewer than 60 records with a $skip of 1,000 or more is answered 400.',
    { must: ['traversal/by-parameters'], keywords: ['400'] },
  ).by(refusePages(400, 'the offset is too large', isDeepAndSmall)),
  'last-small-page-refused': subtle('The last page is answered 400 if $pagesize is below 60.', {
    must: ['traversal/followable'],
    keywords: ['400'],
    may: ['traversal/by-parameters'],
  }).by(
    refusePages(
      400,
      'the offset is too large',
      ({ pageSize, skip, total }) => pageSize < SMALL && pageSize > 2 && skip > 0 && skip + pageSize >= total,
    ),
  ),
  'deep-small-link-offset-one-less': subtle(
    'From $skip=1000 on, the $skip of nextPageLink is one too low if $pagesize is below 60.',
    { must: ['link/offset'], keywords: ['$skip'] },
  ).by(onPages(isDeepAndSmall)(addToOffset(-1))),
  'deep-small-pages-foreign-record': subtle(
    'A page of fewer than 60 records with a $skip of 1,000 or more begins with a record that no other page gives.',
    { must: ['traversal/same-records'], keywords: ['never reaches'] },
  ).by(onPages(isDeepAndSmall)(beginElsewhere)),
  'unaligned-pages-foreign-record': subtle(
    'A page whose $skip is not a multiple of its $pagesize begins with a record that no other page gives.',
    { must: ['traversal/same-records'], keywords: ['never reaches'], may: ['traversal/by-parameters'] },
  ).by(onPages(({ pageSize, skip, total }) => skip % pageSize > 0 && skip < total)(beginElsewhere)),
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
export const edgeCaseDefects: readonly Defect[] = defectsWith({})({
  'token-cached-constant-1800': subtle(
    'One cached token is issued repeatedly with a constant expires_in of 1800.',
    { must: ['token/validity'], keywords: ['expires_in', '1800'] },
  ).by(issueFromCaches(1)),
  'tokens-of-two-caches-constant-1800': subtle(
    'Two cached tokens are issued in turn, with a constant expires_in of 1800.',
    { must: ['token/validity'], keywords: ['expires_in', '1800'], needs: { order: true } },
  ).by(issueFromCaches(2)),
  'expires-in-one-short-every-third-time': subtle(
    'expires_in is 3599 in every third answer, although each gives a new token.',
    { must: ['token/validity'], keywords: ['expires_in', '3599'], needs: { order: true } },
  ).by(
    counting((count) =>
      rewrite('tokenBody', (answer) => (count() % 3 === 1 ? { ...answer, expires_in: 3599 } : answer)),
    ),
  ),
  'encoded-count-too-high': subtle('count is one too high if $count is written with %24.', {
    must: ['page-size/encoded-name'],
    keywords: ['%24', 'count'],
  }).by(onPages(isEncoded('count'))(addToCount(1))),
  'link-empty-before-the-last-page': subtle('nextPageLink is an empty string on the page before the last.', {
    must: ['link/present-when-more'],
    keywords: ['nextpagelink'],
  }).by(onPages((page, service) => recordsLeft(page, service) <= page.pageSize)(emptyLink)),
  'link-at-end-of-small-pages': subtle(
    'The last page has a nextPageLink if it is full and holds fewer than 20 records.',
    { must: ['link/absent-at-the-end'], keywords: ['nextpagelink'] },
  ).by(
    withLink(
      all(isCounted, isFull, (page, service) => page.pageSize < 20 && recordsLeft(page, service) === 0),
    ),
  ),
  'link-missing-before-last-full-page': subtle(
    'A page after which exactly $pagesize records follow has no nextPageLink.',
    { must: ['link/present-when-more'], keywords: ['nextpagelink'] },
  ).by(withoutLink((page, service) => recordsLeft(page, service) === page.pageSize)),
  'link-at-end-of-unaligned-page': subtle(
    'A full page of more than 10 records that ends with the last one has a nextPageLink if its $skip ' +
      'is not a multiple of $pagesize.',
    { must: ['link/absent-at-the-end'], keywords: ['nextpagelink'] },
  ).by(
    withLink(
      all(
        isCounted,
        isFull,
        ({ pageSize, skip, total }) => pageSize > 10 && skip % pageSize > 0 && skip + pageSize === total,
      ),
    ),
  ),
  'skip-hexadecimal': hidden('$skip of nextPageLink is a hexadecimal number.', {
    must: ['link/offset'],
    keywords: ['$skip'],
    may: ['traversal/followable'],
  }).by(changeLinkValue('$skip', (skip) => `0x${Number(skip).toString(16)}`)),
  'records-others-without-count': subtle('Without $count the list gives different records than with it.', {
    must: ['traversal/same-records'],
    keywords: ['record'],
    may: ['traversal/by-parameters'],
  }).by(onPages(not(isCounted))(changeRecordAt((position, page) => position + page.total))),
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
  'growing-default-100': subtle(
    'A record is added at every fifth read, and without $pagesize a page holds 100 records.',
    { must: ['page-size/default'], keywords: ['100 records'] },
  ).by(growing(setPageSize(100, isUnsized))),
  'growing-one-less': subtle(
    'A record is added at every fifth read, and every page holds one record fewer than requested.',
  ).by(growing(addToRecordCount(-1))),
  'growing-without-third-page': subtle(
    'A record is added at every fifth read, and no page behind the first two has a link to it.',
    { must: ['link/present-when-more'], keywords: ['no nextpagelink'] },
  ).by(growing(withoutLink(isFrom(500)))),
});
