import { breaks, defectsWith, subtle } from '../catalogue-rows.ts';
import { growing } from '../data-changes.ts';
import {
  isByParameters,
  isCapped,
  isCounted,
  isDeepAndSmall,
  isEncoded,
  isFollowed,
  isFrom,
  isFull,
  isLinked,
  isOfSize,
  isUnsized,
  not,
  requestedSize,
  SMALL_PAGE_SIZE,
} from '../page-tests.ts';
import { type Change, MAX_PAGE_SIZE, onCallNumbers, type Page, rewrite, type Service } from '../pipeline.ts';
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
import { setTokenMembers, tokensOfCaches } from '../token-changes.ts';

/** Pages begin with a record that is not in the list. */
const beginElsewhere: Change = rewrite('positions', (positions, page) => positions.with(0, page.total + 5));

/** Breaches of pages for which more records than the maximum are requested. */
const capped = defectsWith({})({
  'capped-offset-of-size-asked': breaks('link/offset', '$skip')
    .subtle('If more than 500 records are requested, $skip of nextPageLink grows by the requested number.')
    .by(onPages(isCapped)(changeOffset((_skip, page) => page.skip + Number(requestedSize(page))))),
  'capped-link-missing': breaks('link/present-when-more', 'nextpagelink')
    .subtle('If more than 500 records are requested, no nextPageLink is given.')
    .by(withoutLink(isCapped)),
  'capped-link-at-the-end': breaks('link/absent-at-the-end', 'nextpagelink')
    .having({ may: ['traversal/terminates'], needs: { suite: 'certify' } })
    .subtle('If more than 500 records are requested, the last page has a nextPageLink.')
    .by(withLink(isCapped, isCounted, isLinked)),
  'capped-link-without-count': breaks('link/absent-without-count', 'nextpagelink')
    .subtle('If more than 500 records are requested, a nextPageLink is given without $count.')
    .by(withLink(isCapped, isFollowed)),
  'capped-count-missing': breaks('count/present', 'count')
    .subtle('If more than 500 records are requested, no count is given.')
    .by(onPages(isCapped)(withoutCount)),
  'capped-count-of-page': breaks('count/stable', 'count')
    .subtle('If more than 500 records are requested, count is the number of records on the page.')
    .by(onPages(isCapped)(countOfPage)),
  'capped-one-short': breaks('page-size/filled', 'record')
    .subtle('If more than 500 records are requested, a page holds 499.')
    .by(onPages(isCapped)(rewrite('positions', (positions) => positions.slice(0, MAX_PAGE_SIZE - 1)))),
  'capped-items-null': breaks('list/items', 'agent')
    .subtle('agent is null in every item if more than 500 records are requested.')
    .by(onPages(isCapped)(setItemMembers({ agent: null }))),
  'capped-array': breaks('list/envelope', 'array')
    .subtle('The answer is a bare array instead of an object if more than 500 records are requested.')
    .by(onPages(isCapped)(bareArray)),
});

/** Breaches of pages that the client requests without a link, or of a number. */
const direct = defectsWith({})({
  'by-parameters-link-absolute': breaks('link/relative', 'absolute')
    .subtle('nextPageLink is absolute if the client requests a page by $skip.')
    .by(onPages(isByParameters)(absoluteLink)),
  'by-parameters-link-size-lost': breaks('link/query', '$pagesize')
    .subtle('nextPageLink has no $pagesize if the client requests a page by $skip.')
    .by(onPages(isByParameters)(removeLinkParameter('$pagesize'))),
  'link-at-end-of-jumps': breaks('link/absent-at-the-end', 'nextpagelink')
    .subtle('The last page has a nextPageLink if it is full and holds fewer than 5 records.')
    .by(
      withLink(isCounted, isFull, ({ skip, pageSize, total }) => pageSize < 5 && skip + pageSize === total),
    ),
  'by-parameters-offset-of-first-page': breaks('link/offset', '$skip')
    .subtle('nextPageLink leads to the second page if the client requests a page by $skip.')
    .by(onPages(isByParameters)(changeOffset((_skip, page) => page.positions.length))),
  'skip-truncated-to-pages': breaks('traversal/by-parameters', '$skip')
    .subtle(
      'Pages are addressed by number: $skip / $pagesize is truncated, so a $skip within a page gives the whole page.',
    )
    .by(rewrite('skip', (skip, { pageSize }) => skip - (skip % pageSize))),
  'skip-rounded-up-to-pages': breaks('traversal/by-parameters', '$skip')
    .subtle(
      'Pages are addressed by number: $skip / $pagesize is rounded up, so a $skip within a page gives the next page.',
    )
    .by(rewrite('skip', (skip, { pageSize }) => Math.ceil(skip / pageSize) * pageSize)),
  'skip-without-page-size-truncated': breaks('traversal/by-parameters', '$skip')
    .having({ needs: { suite: 'certify' } })
    .subtle('With $count=true and without $pagesize, $skip is truncated to a multiple of 500.')
    .by(onPages(isCounted, isUnsized)(rewrite('skip', (skip) => skip - (skip % MAX_PAGE_SIZE)))),
  'skip-without-page-size-rounded-up': breaks('traversal/by-parameters', '$skip')
    .having({ needs: { suite: 'certify' } })
    .subtle('With $count=true and without $pagesize, $skip is rounded up to a multiple of 500.')
    .by(
      onPages(
        isCounted,
        isUnsized,
      )(rewrite('skip', (skip) => Math.ceil(skip / MAX_PAGE_SIZE) * MAX_PAGE_SIZE)),
    ),
});

/** Breaches of small pages far into the list. */
const deep = defectsWith({})({
  'deep-small-pages-refused': breaks('traversal/followable', '400')
    .subtle('A page of fewer than 60 records with a $skip of 1,000 or more is answered 400.')
    .by(refusePages(400, 'the offset is too large', isDeepAndSmall)),
  'last-small-page-refused': breaks('traversal/followable', '400')
    .having({ may: ['traversal/by-parameters'] })
    .subtle('The last page is answered 400 if $pagesize is below 60.')
    .by(
      refusePages(400, 'the offset is too large', isLinked, ({ pageSize, skip, total }) => {
        return pageSize < SMALL_PAGE_SIZE && pageSize > 2 && skip + pageSize >= total;
      }),
    ),
  'deep-small-link-offset-one-less': breaks('link/offset', '$skip')
    .subtle('From $skip=1000 on, the $skip of nextPageLink is one too low if $pagesize is below 60.')
    .by(onPages(isDeepAndSmall)(addToOffset(-1))),
  'deep-small-pages-foreign-record': breaks('traversal/same-records', 'never reaches')
    .subtle(
      'A page of fewer than 60 records with a $skip of 1,000 or more begins with a record that no other page gives.',
    )
    .by(onPages(isDeepAndSmall)(beginElsewhere)),
  'unaligned-pages-foreign-record': breaks('traversal/same-records', 'never reaches')
    .having({ may: ['traversal/by-parameters'] })
    .subtle(
      'A page whose $skip is not a multiple of its $pagesize begins with a record that no other page gives.',
    )
    .by(onPages(({ pageSize, skip, total }) => skip % pageSize > 0 && skip < total)(beginElsewhere)),
});

/** How many records follow a page. */
function recordsLeft(page: Page, service: Service): number {
  return page.total - service.steps.endOffset(page, service);
}

/** Breaches that show in one edge case only: each escapes if one condition of a check is removed. */
export const edgeCaseDefects = defectsWith({})({
  'token-cached-constant-1800': breaks('token/validity', 'expires_in', '1800')
    .subtle('One cached token is issued repeatedly with a constant expires_in of 1800.')
    .by(tokensOfCaches(0), setTokenMembers({ expires_in: 1800 })),
  'tokens-of-two-caches-constant-1800': breaks('token/validity', 'expires_in', '1800')
    .having({ needs: { order: true } })
    .subtle('Two cached tokens are issued in turn, with a constant expires_in of 1800.')
    .by(tokensOfCaches(0, 0), setTokenMembers({ expires_in: 1800 })),
  'expires-in-one-short-every-third-time': breaks('token/validity', 'expires_in', '3599')
    .having({ needs: { order: true } })
    .subtle('expires_in is 3599 in every third answer, although each gives a new token.')
    .by(onCallNumbers((number) => number % 3 === 1)(setTokenMembers({ expires_in: 3599 }))),
  'encoded-count-too-high': breaks('page-size/encoded-name', '%24', 'count')
    .subtle('count is one too high if $count is written with %24.')
    .by(onPages(isEncoded('count'))(addToCount(1))),
  'link-empty-before-the-last-page': breaks('link/present-when-more', 'nextpagelink')
    .subtle('nextPageLink is an empty string on the page before the last.')
    .by(onPages((page, service) => recordsLeft(page, service) <= page.pageSize)(emptyLink)),
  'link-at-end-of-small-pages': breaks('link/absent-at-the-end', 'nextpagelink')
    .subtle('The last page has a nextPageLink if it is full and holds fewer than 20 records.')
    .by(
      withLink(isCounted, isFull, (page, service) => page.pageSize < 20 && recordsLeft(page, service) === 0),
    ),
  'link-at-end-of-single-record': breaks('link/absent-at-the-end', 'nextpagelink')
    .subtle('The last page has a nextPageLink if $pagesize is 1.')
    .by(withLink(isCounted, isOfSize(1), (page, service) => recordsLeft(page, service) === 0)),
  'link-missing-before-last-full-page': breaks('link/present-when-more', 'nextpagelink')
    .subtle('A page after which exactly $pagesize records follow has no nextPageLink.')
    .by(withoutLink((page, service) => recordsLeft(page, service) === page.pageSize)),
  'link-at-end-of-unaligned-page': breaks('link/absent-at-the-end', 'nextpagelink')
    .subtle(
      'A full page of more than 10 records that ends with the last one has a nextPageLink if its $skip ' +
        'is not a multiple of $pagesize.',
    )
    .by(
      withLink(
        isCounted,
        isFull,
        ({ pageSize, skip, total }) => pageSize > 10 && skip % pageSize > 0 && skip + pageSize === total,
      ),
    ),
  'skip-hexadecimal': breaks('link/offset', '$skip')
    .having({ may: ['traversal/followable'] })
    .hidden('$skip of nextPageLink is a hexadecimal number.')
    .by(changeLinkValue('$skip', (skip) => `0x${Number(skip).toString(16)}`)),
  'records-others-without-count': breaks('traversal/same-records', 'record')
    .having({ may: ['traversal/by-parameters'] })
    .subtle('Without $count the list gives different records than with it.')
    .by(onPages(not(isCounted))(changeRecordAt((position, page) => position + page.total))),
  'counted-default-page-refused': breaks('count/present', '400')
    .subtle('The first page with $count=true is answered 400 if $pagesize is left out.')
    .by(refusePages(400, 'pagesize is required', isCounted, isUnsized, not(isLinked))),
});

/** Breaches that no growth explains: the list held the missing records whenever its length was seen. */
const growingList = defectsWith({
  keywords: ['record'],
  must: ['page-size/filled'],
  needs: { order: true },
})({
  'growing-default-100': breaks('page-size/default', '100 records')
    .subtle('A record is added at every fifth read, and without $pagesize a page holds 100 records.')
    .by(growing(setPageSize(100, isUnsized))),
  'growing-one-less': subtle(
    'A record is added at every fifth read, and every page holds one record fewer than requested.',
  ).by(growing(addToRecordCount(-1))),
  'growing-without-third-page': breaks('link/present-when-more', 'no nextpagelink')
    .subtle('A record is added at every fifth read, and no page behind the first two has a link to it.')
    .by(growing(withoutLink(isFrom(500)))),
});

/** Breaches of growing lists, and of capped, directly requested or deep pages. */
export const somePageDefects = [...growingList, ...capped, ...direct, ...deep];
