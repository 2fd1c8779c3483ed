import { breaks, defectsWith, having, plain, subtle } from '../catalogue-rows.ts';
import { isCounted, isFollowed, isLast, isLinked, isUnsized, not } from '../page-tests.ts';
import { type Change, everyNth, rewrite, valuesOf, wrap } from '../pipeline.ts';
import type { Credentials } from '../scenario/scenario.ts';
import {
  absoluteLink,
  addToCount,
  addToOffset,
  bareArray,
  changeCount,
  changeEnvelope,
  changeItems,
  changePageSize,
  countOfPage,
  linkTo,
  onPages,
  refusePages,
  setPageSize,
  withLink,
  withoutCount,
  withoutLink,
} from '../step-changes.ts';
import { forSecondClient, listOfSecondClient } from '../token-changes.ts';
import { webPage } from './intermittent.ts';
import { ofExpiry } from './token-expiry.ts';

/** Gives the page at another offset. */
function moveSkip(move: (skip: number) => number): Change {
  return wrap(
    'positions',
    (positions) => (page, service) => positions({ ...page, skip: move(page.skip) }, service),
  );
}

/** Breaches that only calls with a token of the second client show. */
export const secondClientDefects = defectsWith({
  keywords: ['second provider'],
  must: ['traversal/by-parameters'],
})({
  'second-client-default-200': breaks('page-size/default')
    .having({ may: ['page-size/filled'] })
    .subtle('Without $pagesize the second client is given 200 records a page.')
    .by(forSecondClient(setPageSize(200, isUnsized))),
  'second-client-link-without-count': breaks('link/absent-without-count')
    .subtle('The second client is given a nextPageLink also without $count.')
    .by(forSecondClient(withLink(isFollowed))),
  'second-client-token-never-expires': having(ofExpiry)
    .subtle('A token of the second client never expires.')
    .by(
      rewrite(
        'current',
        (isCurrent, { clientId }, _token, { otherCredentials }) =>
          isCurrent || clientId === otherCredentials.clientId,
      ),
    ),
  'second-client-envelope-nested': breaks('list/envelope')
    .subtle('The second client is given the list answer within another object.')
    .by(forSecondClient(changeEnvelope((members) => ({ data: members })))),
  'second-client-index-for-id': breaks('list/items')
    .subtle('For the second client the id of an item is its number on the page.')
    .by(forSecondClient(changeItems((members, record, page) => ({ ...members, id: record - page.skip })))),
  'second-client-skip-ignored': having({
    may: [
      'link/offset',
      'link/present-when-more',
      'link/absent-at-the-end',
      'page-size/filled',
      'traversal/no-duplicates',
      'traversal/terminates',
    ],
  })
    .subtle('The second client is given the first page for every $skip.')
    .by(forSecondClient(moveSkip(() => 0))),
  'second-client-skip-halved': having({ may: ['traversal/no-duplicates'] })
    .subtle('The second client is given the page from half of $skip on.')
    .by(forSecondClient(moveSkip((skip) => Math.floor(skip / 2)))),
  'second-client-count-of-page': breaks('count/stable')
    .subtle('For the second client count is the number of records on the page.')
    .by(forSecondClient(countOfPage)),
  'second-client-count-of-all-clients': breaks('count/equals-records')
    .having({ needs: { suite: 'certify' } })
    .subtle('The second client may see 900 records, which are filtered after the others were counted.')
    .by(forSecondClient(rewrite('positions', (positions) => positions.filter((position) => position < 900)))),
  'second-client-count-too-low': breaks('count/equals-records')
    .subtle('For the second client count is four too low.')
    .by(forSecondClient(addToCount(-4))),
  'second-client-own-links-absolute': breaks('link/relative')
    .subtle('The second client has a list of its own, whose links are absolute.')
    .by(listOfSecondClient(absoluteLink)),
  'second-client-own-offset-one-too-high': breaks('link/offset')
    .subtle('The second client has a list of its own, whose links lead one record too far.')
    .by(listOfSecondClient(addToOffset(1))),
  'second-client-own-maximum-ignored': breaks('page-size/maximum')
    .subtle('The second client has a list of its own, of which a page holds up to 1000 records.')
    .by(
      listOfSecondClient(
        changePageSize((page) => (valuesOf(page, '$pagesize').includes('1000') ? 1000 : undefined)),
      ),
    ),
  'second-client-own-count-of-first': breaks('count/equals-records')
    .subtle('The second client has a list of its own, with the count of the list of the first one.')
    .by(listOfSecondClient(changeCount(() => 1234))),
  'second-client-own-no-links': breaks('link/present-when-more')
    .subtle('The second client has a list of its own, whose pages have no links.')
    .by(listOfSecondClient(withoutLink())),
  'second-client-own-no-count': breaks('count/present')
    .subtle('The second client has a list of its own, whose pages have no count.')
    .by(listOfSecondClient(withoutCount)),
  'second-client-linked-pages-refused': breaks('traversal/followable', '404')
    .subtle('A page with a $skip is answered 404 for the second client.')
    .by(forSecondClient(refusePages(404, 'no such view', isLinked))),
  'second-client-link-back-to-start': breaks('traversal/terminates', 'does not end')
    .having({ may: ['link/absent-at-the-end'] })
    .subtle('For the second client the last page has a link to the first one.')
    .by(forSecondClient(onPages(isLast)(linkTo(() => 0)))),
  'second-client-link-on-last-page': breaks('link/absent-at-the-end')
    .subtle('For the second client the last page has a nextPageLink.')
    .by(forSecondClient(withLink(isLast))),
  'second-client-first-record-again': breaks('traversal/no-duplicates')
    .having({ may: ['traversal/by-parameters', 'traversal/same-records'] })
    .subtle('For the second client each page behind the first one begins with the first record.')
    .by(forSecondClient(onPages(isLinked)(rewrite('positions', (positions) => positions.with(0, 0))))),
  'second-client-uncounted-refused': breaks('authorization/accepted', '403')
    .subtle('A call without $count is answered 403 for the second client.')
    .by(forSecondClient(refusePages(403, 'forbidden', not(isCounted)))),
  'second-client-uncounted-bare-array': breaks('list/envelope')
    .subtle('Without $count the second client is given an array of items.')
    .by(forSecondClient(onPages(not(isCounted))(bareArray))),
  'second-client-every-third-refused': breaks('authorization/accepted', '404')
    .having({ needs: { order: true } })
    .subtle('Every third list call of the second client is answered 404.')
    .by(forSecondClient(everyNth(3)(refusePages(404, 'no such view', () => true)))),
  'second-client-every-third-web-page': breaks('list/envelope')
    .having({ needs: { order: true } })
    .subtle('Every third list call of the second client is answered with a web page and status 200.')
    .by(forSecondClient(everyNth(3)(webPage))),
  'second-client-count-remaining': breaks('count/stable')
    .subtle('For the second client count is the number of records from the offset of the page on.')
    .by(forSecondClient(changeCount((_count, page) => Math.max(0, page.total - page.skip)))),
});

/** Accepts the secret of another client for the clients that `isCrossing` selects. */
function acceptOtherSecret(isCrossing: (client: Credentials, first: Credentials) => boolean): Change {
  return rewrite('secretAccepted', (isAccepted, client, given, service) => {
    const owner = service.clients.find((one) => one.clientSecret === given);
    const isCrossed = owner !== undefined && owner !== client && isCrossing(client, service.credentials);
    return isAccepted || isCrossed;
  });
}

/** Defects of the separation of two providers' credentials. */
export const providerIsolationDefects = defectsWith({
  keywords: ['provider'],
  must: ['token/provider-isolation'],
  may: ['token/secret'],
})({
  'isolation-none': plain(
    'A token is issued for the client_id of one provider with the secret of another.',
  ).by(acceptOtherSecret(() => true)),
  'isolation-first-with-second-secret': subtle(
    'A token is issued for the first provider with the secret of the second provider, but not the reverse.',
  ).by(acceptOtherSecret((client, first) => client === first)),
  'isolation-second-with-first-secret': subtle(
    'A token is issued for the second provider with the secret of the first provider, but not the reverse.',
  ).by(acceptOtherSecret((client, first) => client !== first)),
});
