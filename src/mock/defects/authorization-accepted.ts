import { demand, headerOf, isBehindFirst, queryValue } from '../authorization-changes.ts';
import { type DefectNeeds, defectsWith, having, plain, type Row, subtle } from '../catalogue-rows.ts';
import {
  answerListCalls,
  answerRequests,
  type Change,
  composeChanges,
  counting,
  everyNth,
  onCallNumbers,
  rewrite,
  withState,
  wrap,
} from '../changes.ts';
import {
  has,
  isCounted,
  isCountFalse,
  isLinked,
  isUnsized,
  not,
  onFirstTime,
  onPages,
  onTimes,
  type PageTest,
  refusePages,
  refuseRepetitions,
} from '../page-changes.ts';
import { type Answer, problem, textAnswer } from '../pipeline.ts';
import {
  changeTokenMember,
  endTokens,
  forSecondClient,
  noteIssued,
  onTokens,
  restrictTokens,
  reuseTokens,
} from '../token-changes.ts';

/** Issues long tokens, and refuses every request with a header that is longer than a limit before anything reads it. */
function limitHeaders(limit: number, refusal: Answer, tokenLength: number): Change {
  return composeChanges(
    rewrite('issue', (issued) => ({ ...issued, token: issued.token.padEnd(tokenLength, 'Ab0') })),
    answerRequests((request) => (headerOf(request).length > limit ? refusal : undefined)),
  );
}

/** A refusal of a list call is given to every caller of the same URL for some time. */
function cachedRefusal(words: string, forMs: number, needs: DefectNeeds = {}): Row {
  const cacheRefusals: Change = withState(
    Map<string, { readonly answer: Answer; readonly at: number }>,
    (refused) =>
      wrap('receive', (receive) => async (request, service) => {
        const known = refused.get(request.target);
        if (known !== undefined && performance.now() - known.at < forMs) return known.answer;
        const answer = await receive(request, service);
        if (answer.status === 401 && request.method === 'GET')
          refused.set(request.target, { answer, at: performance.now() });
        return answer;
      }),
  );
  // A page whose link was refused to another caller is refused from then on.
  return having({ may: ['traversal/followable'], needs })
    .subtle(`A refusal is cached by its URL${words} and then given to callers with a valid token as well.`)
    .by(cacheRefusals);
}

function setPageStatus(status: number): Change {
  return rewrite('pageAnswer', (answer) => ({ ...answer, status }));
}

/** Every n-th token is never accepted. */
function uselessTokenDefect(which: string, nth: number, needs: DefectNeeds = {}): Row {
  const always: DefectNeeds = { tokens: 'opaque', wholeSuite: true, order: true };
  return having({ keywords: ['just issued'], needs: { ...always, ...needs } })
    .subtle(`${which} token that is issued is never accepted by the list.`)
    .by(endTokens((ended) => everyNth(nth)(noteIssued(({ token }) => ended.add(token)))));
}

function countFalseRefused(words: string, status: number): Row {
  return having({ keywords: ['$count=false', String(status)] })
    .subtle(`$count=false ${words}, and without $count the same call is answered.`)
    .by(refusePages(status, 'bad value of $count', isCountFalse));
}

const accepted = defectsWith({ keywords: ['401'], must: ['authorization/accepted'] })({
  'authorization-always-refused': plain('Every list call is answered 401, even with a token just issued.').by(
    wrap('authorize', () => async () => false),
  ),
  'authorization-other-scheme-demanded': having({ may: ['authorization/scheme'] })
    .plain('The token is accepted under the scheme Token only; as Bearer it is answered 401.')
    .by(wrap('bearer', () => (request) => /^Token (.*)$/.exec(headerOf(request))?.[1])),
  'authorization-query-demanded': having({ may: ['authorization/scheme'] })
    .plain('The token is accepted in the query only; in the Authorization header it is answered 401.')
    .by(wrap('bearer', () => (request) => queryValue(request, 'access_token'))),
  'authorization-first-use-refused': subtle(
    'Every token is answered 401 at its first use, because it is not replicated yet.',
  ).by(counting((count) => restrictTokens((token) => count(token) > 1))),
  'token-with-line-end': having({ keywords: ['u+000a'] })
    .hidden('Every access_token ends with a line feed, which no header can carry.')
    .by(changeTokenMember('access_token', (token) => `${token}\n`)),
  'token-wrapped': having({ keywords: ['u+000d'], needs: { tokens: 'jwt' } })
    .subtle('Every access_token is wrapped after 76 characters, as Base64 in an e-mail is.')
    .by(changeTokenMember('access_token', (token) => String(token).replace(/.{76}/g, '$&\r\n'))),
  'token-exceeds-header-limit': having({ keywords: ['400', 'length'] })
    .hidden('Tokens have 12,000 characters, and a proxy answers headers of more than 8,192 with 400.')
    .by(
      limitHeaders(
        8192,
        textAnswer(400, '<html><title>400 Request Header Or Cookie Too Large</title></html>', 'text/html'),
        12_000,
      ),
    ),
  'token-exceeds-node-header-limit': having({ keywords: ['431', 'length'] })
    .hidden('Tokens have 5,000 characters, and a server answers headers of more than 4,096 with 431.')
    .by(limitHeaders(4096, textAnswer(431), 5000)),
  'token-exceeds-firewall-limit': having({ keywords: ['403', 'length'] })
    .subtle('Tokens have 2,500 characters, and a firewall answers headers of more than 2,048 with 403.')
    .by(limitHeaders(2048, textAnswer(403, 'Forbidden'), 2500)),
  'list-answered-206': having({ keywords: ['206'], may: ['traversal/followable'] })
    .hidden('A page that is not the whole list has status 206 instead of 200.')
    .by(onPages(({ positions, total }) => positions.length < total)(setPageStatus(206))),
  'counted-list-answered-206': having({ keywords: ['206'] })
    .hidden('A page with a count has status 206 instead of 200, as if it were a range.')
    .by(onPages(isCounted)(setPageStatus(206))),
  'single-record-answered-202': having({ keywords: ['202'], may: ['traversal/followable'] })
    .subtle('A page of one record has status 202 instead of 200.')
    .by(onPages(({ positions }) => positions.length === 1)(setPageStatus(202))),
  'list-refuses-accept-json': having({ keywords: ['406'] })
    .plain('A list call that accepts application/json is answered 406.')
    .by(
      answerListCalls(({ headers }) =>
        headers['accept'] === 'application/json' ? textAnswer(406) : undefined,
      ),
    ),
  // Full runs do not use each token of a run.
  'token-every-third-useless': uselessTokenDefect('Every third', 3, { suite: 'certify' }),
  'token-every-other-useless': uselessTokenDefect('Every second', 2),
  'token-refused-every-sixth-call': subtle('Every sixth call with a valid token is answered 401.').by(
    counting((number) =>
      demand((request) => !(headerOf(request).startsWith('Bearer ') && number() % 6 === 0)),
    ),
  ),
  'list-broken-from-the-tenth-call': having({ keywords: ['500'] })
    .hidden('List calls with a valid token are answered 500 from the tenth on.')
    .by(onCallNumbers((number) => number >= 10)(wrap('list', () => () => problem(500, 'out of memory')))),
  'token-issued-again-after-its-end': having({ keywords: ['second provider', '401'] })
    .subtle('A token is accepted for 60 calls, and token requests are answered with the same one after that.')
    .by(
      reuseTokens,
      counting((count) => restrictTokens((token) => count(token) <= 60)),
    ),
  'client-refused-from-the-hundredth-call': having({ keywords: ['second provider', '401'] })
    .subtle('List calls of a client are answered 401 from the hundredth on, also with a token just issued.')
    .by(
      counting((count) =>
        rewrite('current', (isCurrent, { clientId }) => isCurrent && count(clientId) < 100),
      ),
    ),
  'count-false-refused': countFalseRefused('is refused', 400),
  'count-false-crashes': countFalseRefused('crashes the server', 500),
  'count-false-unauthorized': countFalseRefused('is answered as if the token were invalid', 401),
  'refusal-cached-for-everyone': cachedRefusal('', Number.POSITIVE_INFINITY),
  'refusal-cached-for-a-second': cachedRefusal(' for a second', 1000, { order: true }),
  'refusal-cached-for-a-moment': cachedRefusal(' for 300 ms', 300, { order: true }),
  'refusal-spoils-next-call': having({ needs: { order: true } })
    .subtle('After a refused call of a linked page the next call of that page with a valid token is refused.')
    .by(
      withState(Set<string>, (spoilt) =>
        rewrite('authorize', (isAuthorized, request, service) => {
          if (isAuthorized) return !spoilt.delete(request.target);
          if (isBehindFirst(request, service)) spoilt.add(request.target);
          return false;
        }),
      ),
    ),
  'second-client-uncounted-refused': having({ keywords: ['403'] })
    .subtle('A call without $count is answered 403 for the second client.')
    .by(forSecondClient(refusePages(403, 'forbidden', not(isCounted)))),
});

/** Refuses every call with tokens of the first provider that `isLost` selects when they are issued. */
function loseTokens(isLost: () => boolean): Change {
  return endTokens((ended) =>
    noteIssued(({ token }, { client }, { clients }) => {
      if (client === clients[0] && isLost()) ended.add(token);
    }),
  );
}

/** Refuses first pages with a count after each was given so many times. */
function refuseFirstPages(status: number, given: number, where: PageTest): Change {
  const refuseLater = onTimes((time) => time > given)(refusePages(status, 'the cached page is broken'));
  return onPages(isCounted, not(isLinked), where)(refuseLater);
}

/** Defects that only some calls of a kind show, such as the first one. */
const acceptedAtTimes = defectsWith({
  keywords: ['403'],
  must: ['authorization/accepted'],
  needs: { order: true },
})({
  'linked-page-forbidden-at-first': subtle(
    'A page with $skip is answered 403 when it is requested for the first time, and 200 after that.',
  ).by(onFirstTime(refusePages(403, 'forbidden', isLinked))),
  'token-forbidden-at-first': subtle(
    'The first call with each token except the first one is answered 403.',
  ).by(
    counting((count) =>
      refusePages(403, 'forbidden', ({ request }) => {
        const isFirst = count(headerOf(request)) === 1;
        return count() > 1 && isFirst;
      }),
    ),
  ),
  'third-token-lost': having({ keywords: ['every list call'] })
    .subtle('The third token of the first provider is never accepted.')
    .by(counting((count) => loseTokens(() => count() === 3))),
  'token-after-refusal-lost': having({ keywords: ['every list call'] })
    .subtle('The first token of the first provider after a refused token request is never accepted.')
    .by(
      withState(Set<'refusal' | 'loss'>, (seen) =>
        composeChanges(
          wrap('grant', (grant) => (form, service) => {
            try {
              return grant(form, service);
            } catch (error) {
              seen.add('refusal');
              throw error;
            }
          }),
          loseTokens(() => {
            const isLost = seen.has('refusal') && !seen.has('loss');
            if (isLost) seen.add('loss');
            return isLost;
          }),
        ),
      ),
    ),
  'list-forbidden-every-fifth-call': subtle('Every fifth list call with a valid token is answered 403.').by(
    everyNth(5)(refusePages(403, 'forbidden')),
  ),
  'list-203-for-later-tokens': having({ keywords: ['203'], may: ['traversal/followable'] })
    .subtle('A page has status 203 instead of 200, except with the first token.')
    .by(onTokens((number) => number > 0)(setPageStatus(203))),
  'list-in-conflict-every-ninth-call': having({ keywords: ['409'] })
    .subtle('Every ninth list call with a valid token is answered 409, because another one holds a lock.')
    .by(everyNth(9)(refusePages(409, 'conflict'))),
  'list-not-found-every-sixth-call': having({ keywords: ['404'] })
    .hidden('Every sixth list call with a valid token is answered 404: one of six servers has no such list.')
    .by(everyNth(6)(refusePages(404, 'no such list'))),
  'list-fails-every-second-call': having({ keywords: ['500'] })
    .subtle(
      'Every second list call with a valid token is answered 500, so that each succeeds when it is repeated.',
    )
    .by(everyNth(2)(refusePages(500, 'deadlock'))),
  'linked-pages-fail-every-fourth-call': having({ keywords: ['500'] })
    .subtle('Every fourth call of a page with $skip is answered 500, because one of four replicas is broken.')
    .by(onPages(isLinked)(everyNth(4)(refusePages(500, 'no such table')))),
  'repetition-within-a-second-500': having({ keywords: ['500'] })
    .hidden('A list call that is repeated within a second is answered 500, as by a broken cache.')
    .by(refuseRepetitions(500, 'the cached answer is broken')),
  'repetition-within-a-second-302': having({ keywords: ['302'], may: ['traversal/followable'] })
    .hidden('A list call that is repeated within a second is redirected, as to a cached copy.')
    .by(refuseRepetitions(302, 'the copy is elsewhere')),
  'repetition-within-a-second-409': having({ keywords: ['409'], may: ['traversal/followable'] })
    .subtle(
      'A list call that is repeated within a second is answered 409, as by a guard against double clicks.',
    )
    .by(refuseRepetitions(409, 'this request was sent before')),
  'second-use-500': having({ keywords: ['500'] })
    .hidden('Every second use of the same request target is answered 500.')
    .by(onTimes((time) => time % 2 === 0)(refusePages(500, 'this answer was sent'))),
  'counted-default-page-once': having({ keywords: ['500'] })
    .subtle('The first page with $count=true and without $pagesize is answered 500 from its second time on.')
    .by(refuseFirstPages(500, 1, isUnsized)),
  'sized-first-page-twice': having({ keywords: ['404'] })
    .subtle('A first page with $count=true and a $pagesize up to 200 is answered 404 from its third time on.')
    .by(refuseFirstPages(404, 2, (page, service) => has('$pagesize')(page, service) && page.pageSize <= 200)),
  'second-client-every-third-refused': having({ keywords: ['404'] })
    .subtle('Every third list call of the second client is answered 404.')
    .by(forSecondClient(everyNth(3)(refusePages(404, 'no such view', () => true)))),
});

/** Defects that refuse a list call with a valid token. */
export const acceptedDefects = [...accepted, ...acceptedAtTimes];
