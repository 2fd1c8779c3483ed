import type { RequirementId } from '../../core/requirement-id.ts';
import { acceptHeader, demand, headerOf } from '../authorization-changes.ts';
import { breaks, type DefectNeeds, defectsWith, having, type Row } from '../catalogue-rows.ts';
import { isCounted, isLinked, isUnsized } from '../page-tests.ts';
import {
  type Change,
  counting,
  everyNth,
  type Grant,
  onCallNumbers,
  onCalls,
  problem,
  rewrite,
  textAnswer,
  wrap,
} from '../pipeline.ts';
import {
  addToCount,
  changeCount,
  changeText,
  type Members,
  onPages,
  refusePages,
  setPageSize,
  withoutLink,
} from '../step-changes.ts';
import {
  acceptAsFirstClient,
  changeTokenMember,
  endTokens,
  noteIssued,
  restrictTokens,
  reuseTokens,
  setTokenMembers,
  setTokenStatus,
} from '../token-changes.ts';
import { refuseGrants } from '../token-request-changes.ts';
import { ofGate, openGate } from './authorization-gate.ts';

/** Makes a change of the members of some token answers, by their number from 1 for each client. */
function onTokenNumbers(isChanged: (number: number) => boolean): (change: Change) => Change {
  return (change) =>
    counting((count) =>
      onCalls((_issued, grant) => isChanged(count((grant as Grant).client.clientId)))(change),
    );
}

/** Begins rows of wrong members in those token answers to a client whose number, from 1, is selected. */
function wrongTokens(
  opening: string,
  isWrong: (number: number) => boolean,
): (must: RequirementId, words: string, wrong: Members) => Row {
  return (must, words, wrong) =>
    breaks(must, ...Object.keys(wrong))
      .subtle(`${opening} ${words}.`)
      .by(onTokenNumbers(isWrong)(setTokenMembers(wrong)));
}

const fromSecondOn = wrongTokens(
  'The first token answer is correct; from the second on',
  (number) => number > 1,
);
const onlyThird = wrongTokens('Only the third token answer to a client is wrong:', (number) => number === 3);

/** Every n-th token is never accepted. */
function uselessTokenDefect(which: string, nth: number, needs: DefectNeeds = {}): Row {
  return breaks('authorization/accepted', 'just issued')
    .having({ needs: { tokens: 'opaque', wholeSuite: true, order: true, ...needs } })
    .subtle(`${which} token that is issued is never accepted by the list.`)
    .by(endTokens((ended) => everyNth(nth)(noteIssued(({ token }) => ended.add(token)))));
}

const inOrderOfSuite = { needs: { wholeSuite: true, order: true } } as const;
const withBothClients = { needs: { wholeSuite: true } } as const;

/** A page of HTML in place of a list. */
export const webPage = rewrite('pageAnswer', () =>
  textAnswer(200, '<html>Just a moment</html>', 'text/html'),
);

/** Breaches of some token requests, answers or tokens only. */
export const someTokenDefects = defectsWith({})({
  'later-token-type-lower-case': fromSecondOn('token/type', 'token_type is bearer', { token_type: 'bearer' }),
  'later-expires-in-text': fromSecondOn('token/shape', 'expires_in is a string', { expires_in: '3600' }),
  'later-scope-missing': fromSecondOn('token/shape', 'scope is left out', { scope: undefined }),
  'later-scope-double-space': breaks('token/scope', 'scope')
    .subtle('The first token answer is correct; from the second on two spaces separate the scopes.')
    .by(onTokenNumbers((number) => number > 1)(changeTokenMember('scope', (scope) => `${scope}  more`))),
  'later-expires-in-7200': fromSecondOn('token/validity', 'expires_in is 7200', { expires_in: 7200 }),
  'later-expires-in-1800': fromSecondOn('token/validity', 'expires_in is 1800', { expires_in: 1800 }),
  'other-client-expires-in-1800': breaks('token/validity', 'expires_in', '1800', 'second provider')
    .subtle(
      'Each client has its own token lifetime: expires_in is 3600 for the first and 1800 for the second.',
    )
    .by(
      rewrite('tokenBody', (answer, _issued, grant, service) => {
        const isOther = grant.client.clientId === service.otherCredentials.clientId;
        return isOther ? { ...answer, expires_in: 1800 } : answer;
      }),
    ),
  // Full runs do not use each token of a run.
  'token-every-third-useless': uselessTokenDefect('Every third', 3, { suite: 'certify' }),
  'token-every-other-useless': uselessTokenDefect('Every second', 2),
  'token-status-201-every-fifth': breaks('token/issued', '201')
    .having(inOrderOfSuite)
    .subtle('Every fifth token answer has status 201.')
    .by(everyNth(5)(setTokenStatus(201))),
  'token-status-201-second-client': breaks('token/issued', '201')
    .having(withBothClients)
    .subtle('The token answers of the second client have status 201.')
    .by(
      rewrite('tokenAnswer', (answer, _body, request, { credentials }) => {
        const isFirst = String(request.body).includes(`client_id=${credentials.clientId}`);
        return isFirst ? answer : { ...answer, status: 201 };
      }),
    ),
  'token-status-201-at-first': breaks('token/issued', '201')
    .having(withBothClients)
    .subtle('The first token answer to each client has status 201.')
    .by(
      counting((count) =>
        rewrite('tokenAnswer', (answer, _body, request) => {
          const clientId = /client_id=[^&]*/.exec(String(request.body))?.[0] ?? '';
          return count(clientId) === 1 ? { ...answer, status: 201 } : answer;
        }),
      ),
    ),
  'token-request-refused-every-fifth': breaks('token/issued', '400')
    .having(inOrderOfSuite)
    .subtle('Every fifth valid token request of a client is refused with unauthorized_client.')
    .by(refuseGrants((number) => number % 5 === 0, 400, 'unauthorized_client')),
  'token-request-fails-every-third-time': breaks('token/issued', '500')
    .having(inOrderOfSuite)
    .subtle('Every third valid token request is answered 500.')
    .by(refuseGrants((number) => number % 3 === 0, 500, 'server_error')),
  'token-request-fails-in-pairs': breaks('token/issued', '500')
    .having(inOrderOfSuite)
    .subtle('The third and the fourth of each four valid token requests are answered 500.')
    .by(refuseGrants((number) => number % 4 === 3 || number % 4 === 0, 500, 'server_error')),
  'token-requests-refused-after-first': breaks('token/issued', '400')
    .having(inOrderOfSuite)
    .subtle('A client obtains one token; each later valid request is refused with unauthorized_client.')
    .by(refuseGrants((number) => number > 1, 400, 'unauthorized_client')),
});

/** count is wrong in every n-th counted answer. */
function wrongCount(nth: number, by: number, sentence: string): Row {
  const apply = onPages(isCounted)(everyNth(nth)(addToCount(by)));
  return breaks('count/stable', 'count').subtle(sentence).by(apply);
}

/** Each new URL is answered by the next of three replicas, the last of which counts a record less, and kept for two seconds. */
const countOfReplicasBehindCache: Change = counting((number) => {
  const kept = new Map<string, { readonly isOld: boolean; readonly until: number }>();
  return changeCount((count, { request }) => {
    const now = performance.now();
    let entry = kept.get(request.target);
    if (entry === undefined || entry.until < now) entry = { isOld: number() % 3 === 0, until: now + 2000 };
    kept.set(request.target, entry);
    return entry.isOld ? count - 1 : count;
  });
});

/** count is that much higher from the 60th counted answer on. */
function countFromLater(by: number, words: string): Row {
  return breaks('count/stable', 'count')
    .having({ may: ['count/equals-records'] })
    .subtle(`From the 60th answer with count on, it is one ${words}.`)
    .by(counting((number) => changeCount((count) => (number() > 60 ? count + by : count))));
}

/** The records stay the same. */
function driftingCount(calls: number, by: number, sentence: string): Row {
  return breaks('count/stable', 'count')
    .having({ may: ['count/equals-records'] })
    .subtle(sentence)
    .by(counting((number) => changeCount((count) => count + by * Math.floor(number() / calls))));
}

/** From the hundredth page on, every so many pages behind the first one hold no record. */
function emptyPages(nth: number, words: string): Row {
  return breaks('traversal/by-parameters', 'no record')
    .having({
      may: ['page-size/filled', 'page-size/default', 'traversal/followable', 'link/present-when-more'],
    })
    .subtle(
      `From the hundredth page on, ${words} page with $skip is empty and has no link, and count is right.`,
    )
    .by(
      counting((number) =>
        rewrite('positions', (positions, page, service) => {
          const at = number();
          return at >= 100 && at % nth === 0 && isLinked(page, service) ? [] : positions;
        }),
      ),
      withoutLink(({ positions }) => positions.length === 0),
    );
}

/** Intermittent breaches, as if one of several servers behind a load balancer were faulty. */
export const intermittentDefects = defectsWith({ needs: { order: true } })({
  'gate-open-every-third-call': having({ ...ofGate, needs: {} })
    .subtle('Every third call without an Authorization header gives records.')
    .by(counting((number) => openGate(() => number() % 3 === 0))),
  'gate-open-every-twelfth-call': having(ofGate)
    .subtle('Every twelfth call without an Authorization header gives records.')
    .by(counting((number) => openGate(() => number() % 12 === 0))),
  'integrity-any-token-every-twelfth-call': breaks('authorization/token-integrity', 'token')
    .subtle('Every twelfth call with a token that was not issued gives records.')
    .by(counting((number) => acceptAsFirstClient(() => number() % 12 === 0))),
  'scheme-any-every-third-call': breaks('authorization/scheme', 'token')
    .having({ needs: {} })
    .subtle('Every third call with the token under another scheme than Bearer gives records.')
    .by(counting((number) => acceptHeader(/^\S+ +(\S+)$/, () => number() % 3 === 0))),
  'token-refused-every-sixth-call': breaks('authorization/accepted', '401')
    .having({ needs: {} })
    .subtle('Every sixth call with a valid token is answered 401.')
    .by(
      counting((number) =>
        demand((request) => !(headerOf(request).startsWith('Bearer ') && number() % 6 === 0)),
      ),
    ),
  'list-fails-every-second-call': breaks('authorization/accepted', '500')
    .subtle(
      'Every second list call with a valid token is answered 500, so that each succeeds when it is repeated.',
    )
    .by(everyNth(2)(refusePages(500, 'deadlock'))),
  'linked-pages-fail-every-fourth-call': breaks('authorization/accepted', '500')
    .subtle('Every fourth call of a page with $skip is answered 500, because one of four replicas is broken.')
    .by(onPages(isLinked)(everyNth(4)(refusePages(500, 'no such table')))),
  'list-broken-from-the-tenth-call': breaks('authorization/accepted', '500')
    .having({ needs: {} })
    .hidden('List calls with a valid token are answered 500 from the tenth on.')
    .by(onCallNumbers((number) => number >= 10)(wrap('list', () => () => problem(500, 'out of memory')))),
  'token-issued-again-after-its-end': breaks('authorization/accepted', 'second provider', '401')
    .having({ needs: {} })
    .subtle('A token is accepted for 60 calls, and token requests are answered with the same one after that.')
    .by(
      reuseTokens,
      counting((count) => restrictTokens((token) => count(token) <= 60)),
    ),
  'client-refused-from-the-hundredth-call': breaks('authorization/accepted', 'second provider', '401')
    .having({ needs: {} })
    .subtle('List calls of a client are answered 401 from the hundredth on, also with a token just issued.')
    .by(
      counting((count) =>
        rewrite('current', (isCurrent, { clientId }) => isCurrent && count(clientId) < 100),
      ),
    ),
  'envelope-html-every-fifteenth-call': breaks('list/envelope', 'json')
    .subtle('Every 15th list answer is a page of HTML with status 200.')
    .by(everyNth(15)(webPage)),
  'envelope-html-in-two-spans': breaks('list/envelope', 'json')
    .subtle('The 40th to 49th and the 90th to 99th list answer are a page of HTML with status 200.')
    .by(onCallNumbers((number) => number % 50 >= 40 && number < 100)(webPage)),
  'envelope-html-from-later-on': breaks('list/envelope', 'json')
    .subtle('From the 100th list answer on, each is a page of HTML with status 200.')
    .by(onCallNumbers((number) => number >= 100)(webPage)),
  'envelope-empty-every-tenth-call': breaks('list/envelope', 'items')
    .subtle('Every tenth list answer is an empty object with status 200.')
    .by(everyNth(10)(changeText(() => '{}'))),
  'link-refused-every-15th-time': breaks('traversal/followable', '400', 'linked pages')
    .subtle('Every 15th request with a $skip is answered 400.')
    .by(onPages(isLinked)(everyNth(15)(refusePages(400, 'unknown parameter: $skip')))),
  'link-not-found-every-twelfth-time': breaks('traversal/followable', '404')
    .subtle('Every twelfth request with a $skip is answered 404.')
    .by(onPages(isLinked)(everyNth(12)(refusePages(404, 'there is nothing at this path')))),
  'count-one-less-every-twentieth-call': wrongCount(20, -1, 'count is one too low in every 20th answer.'),
  'count-one-less-every-60th-call': wrongCount(60, -1, 'count is one too low in every 60th answer.'),
  'count-of-replicas-behind-cache': breaks('count/stable', 'count')
    .having({
      // The smoke suite requests few URLs, all of which may show the same count.
      may: ['count/equals-records'],
    })
    .subtle('One of three replicas behind a cache, whose key is the URL, counts one record less.')
    .by(countOfReplicasBehindCache),
  'count-two-more-every-47th-call': wrongCount(47, 2, 'count is two too high in every 47th answer.'),
  'count-of-an-old-replica-every-13th-call': wrongCount(
    13,
    40,
    'Every 13th answer takes count from a replica that holds 40 more records.',
  ),
  'token-type-now-and-then': onlyThird('token/type', 'token_type is bearer', { token_type: 'bearer' }),
  'scope-doubled-space-now-and-then': onlyThird('token/scope', 'two spaces separate the scopes', {
    scope: 'a  b',
  }),
  'expires-in-text-now-and-then': onlyThird('token/shape', 'expires_in is a string', {
    expires_in: '3600',
  }),
  'expires-in-7200-now-and-then': onlyThird('token/validity', 'expires_in is 7200', {
    expires_in: 7200,
  }),
  'expires-in-1800-now-and-then': onlyThird('token/validity', 'expires_in is 1800', {
    expires_in: 1800,
  }),
  'page-one-more-every-third-time': breaks('page-size/limit', 'holds')
    .subtle('Every third page of 2 to 20 records holds one record too many.')
    .by(
      counting((number) =>
        rewrite('pageSize', (size) => (size >= 2 && size <= 20 && number() % 3 === 0 ? size + 1 : size)),
      ),
    ),
  'default-250-every-third-time': breaks('page-size/default', '250')
    .subtle('Every third page that is requested without $pagesize holds 250 records.')
    .by(onPages(isUnsized)(everyNth(3)(setPageSize(250)))),
  'token-request-refused-every-second-time': breaks('token/issued', '400')
    .having({ needs: {} })
    .subtle('Every second valid token request is answered 400.')
    .by(refuseGrants((number) => number % 2 === 0, 400, 'invalid_request', 'not this time')),
  'page-empty-every-third-time': emptyPages(3, 'every third'),
  'page-empty-every-fourth-time': emptyPages(4, 'every fourth'),
  'count-grows-every-thirty-calls': driftingCount(30, 1, 'count grows by one with every 30 calls.'),
  'count-grows-every-call': driftingCount(1, 1, 'count grows by one with every call.'),
  'count-shrinks-every-forty-calls': driftingCount(40, -1, 'count shrinks by one with every 40 calls.'),
  'count-more-after-a-while': countFromLater(1, 'more'),
  'count-less-after-a-while': countFromLater(-1, 'less'),
});
