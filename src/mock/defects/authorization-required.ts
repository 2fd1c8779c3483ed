import { setTimeout as wait } from 'node:timers/promises';
import {
  acceptTokenFrom,
  admit,
  admitAfter,
  amongWorkers,
  cacheFromUse,
  headerOf,
  isAnonymous,
  isBehindFirst,
  lacks,
  openAfterTokenRequest,
  openGate,
  placeOf,
  queryValue,
  type RequestTest,
  refuseWithRecords,
} from '../authorization-changes.ts';
import { defectsWith, having, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, rewrite, withState, wrap } from '../changes.ts';
import { addLinkParameter, changeItems } from '../page-changes.ts';
import { type Answer, textAnswer, withHeaders } from '../pipeline.ts';

function withCookie(cookie: string): (answer: Answer) => Answer {
  return (answer) => withHeaders(answer, { 'Set-Cookie': `${cookie}; Path=/; HttpOnly` });
}

function admitCookie(cookie: string): Change {
  return admit((request) => headerOf(request, 'cookie').includes(cookie));
}

/** Common members of defects by which requests without an Authorization header are accepted. */
export const ofGate = {
  keywords: ['authorization'],
  must: ['authorization/required'],
  may: ['authorization/required-on-every-page', 'authorization/scheme'],
} satisfies Traits;

/** A gate that is open to requests whose query has one parameter but not the other. */
function hasWithout(given: readonly string[], missing: string): RequestTest {
  return (request) =>
    given.every((name) => queryValue(request, name) !== undefined) &&
    queryValue(request, missing) === undefined;
}

const gate = defectsWith(ofGate)({
  'gate-open': plain('Without an Authorization header, records are given to every caller.').by(openGate()),
  'gate-absent': having({
    may: [...ofGate.may, 'authorization/token-integrity', 'token/refused-after-expiry'],
  })
    .plain('The Authorization header is not checked: records are given without a token and with any token.')
    .by(wrap('guarded', () => () => false)),
  'gate-open-with-count': hidden('Without an Authorization header, records are given if $count is true.').by(
    openGate((request) => queryValue(request, '$count')?.toLowerCase() === 'true'),
  ),
  'gate-open-with-page-size': hidden(
    'Without an Authorization header, records are given if $pagesize is given without $count.',
  ).by(openGate(hasWithout(['$pagesize'], '$count'))),
  'gate-open-with-encoded-names': subtle(
    'Without an Authorization header, records are given if parameter names are written with %24.',
  ).by(openGate((request) => request.query.includes('%24'))),
  'gate-open-with-count-and-page-size': hidden(
    'Without an Authorization header, records are given if $count and $pagesize are given without $skip.',
  ).by(openGate(hasWithout(['$pagesize', '$count'], '$skip'))),
  'gate-open-for-one-record': subtle(
    'Without an Authorization header, records are given if $pagesize is 1.',
  ).by(openGate((request) => queryValue(request, '$pagesize') === '1')),
  'gate-open-for-largest-pages': subtle(
    'Without an Authorization header, records are given if $pagesize is 500.',
  ).by(openGate((request) => queryValue(request, '$pagesize') === '500')),
  'gate-open-for-large-pages': subtle(
    'Without an Authorization header, records are given if $pagesize is above 250.',
  ).by(openGate((request) => Number(queryValue(request, '$pagesize')) > 250)),
  'gate-open-without-tenant': subtle(
    'Without an Authorization header, records are given if there is no Tenant header either.',
  ).by(openGate(lacks('tenant'))),
  'gate-open-from-inside': subtle(
    'Without an Authorization header, records are given if X-Forwarded-For names the loopback address.',
  ).by(openGate(({ headers }) => headers['x-forwarded-for'] === '127.0.0.1')),
  'gate-open-from-private-network': subtle(
    'Without an Authorization header, records are given if X-Forwarded-For names an address of a private network.',
  ).by(openGate(({ headers }) => String(headers['x-forwarded-for']).startsWith('10.'))),
  'gate-open-without-compression': subtle(
    'Without an Authorization header, records are given to callers that accept no compressed answers.',
  ).by(openGate(({ headers }) => !/gzip/i.test(String(headers['accept-encoding'])))),
  'gate-trusts-remote-user': subtle(
    'Without an Authorization header, records are given if X-Remote-User names a user.',
  ).by(openGate(({ headers }) => headers['x-remote-user'] !== undefined)),
  'gate-open-to-health-checks': subtle(
    'Without an Authorization header, records are given if User-Agent names a health check.',
  ).by(openGate(({ headers }) => /kube-probe/u.test(String(headers['user-agent'])))),
  'gate-open-with-origin': subtle(
    'Without an Authorization header, records are given if there is an Origin header.',
  ).by(openGate(({ headers }) => headers['origin'] !== undefined)),
  'gate-open-to-scripts-of-pages': subtle(
    'Without an Authorization header, records are given if X-Requested-With names a script of a web page.',
  ).by(openGate(({ headers }) => headers['x-requested-with'] === 'XMLHttpRequest')),
  'gate-open-to-any-media-type': subtle(
    'Without an Authorization header, records are given if the Accept header takes any media type.',
  ).by(openGate(({ headers }) => headers['accept'] === '*/*')),
  'gate-open-without-query': hidden(
    'Without an Authorization header, records are given if there is no query.',
  ).by(openGate((request) => request.query === '')),
  'session-cookie-admits': having({ keywords: ['cookies'], may: [] })
    .subtle('A cookie set by an authorized answer gives access without an Authorization header.')
    .by(rewrite('pageAnswer', withCookie('sid=of-a-session')), admitCookie('sid=of-a-session')),
  'session-cookie-of-token-admits': having({ keywords: ['cookies', 'token answer'], may: [] })
    .subtle('A cookie set by the token endpoint gives access without an Authorization header.')
    .by(
      rewrite('tokenAnswer', withCookie('JSESSIONID=5F3C1A9E7B2D4086')),
      admitCookie('JSESSIONID=5F3C1A9E7B2D4086'),
    ),
  'session-cookie-with-token-admits': having({ keywords: ['cookies', 'token answer'], may: [] })
    .subtle('The token endpoint sets a cookie that holds the token, and the list accepts it from there.')
    .by(
      rewrite('tokenAnswer', (answer, body) =>
        withHeaders(answer, { 'Set-Cookie': `app_session=${String(body['access_token'])}; Path=/` }),
      ),
      acceptTokenFrom((request) => headerOf(request, 'cookie').match(/app_session=([^;]+)/)?.[1]),
    ),
  'gate-open-every-third-call': subtle('Every third call without an Authorization header gives records.').by(
    counting((number) => openGate(() => number() % 3 === 0)),
  ),
  'gate-open-every-twelfth-call': having({ needs: { order: true } })
    .subtle('Every twelfth call without an Authorization header gives records.')
    .by(counting((number) => openGate(() => number() % 12 === 0))),
  'worker-open-without-token': having({
    keywords: ['without an authorization header'],
    may: ['authorization/required-on-every-page', 'authorization/token-integrity', 'authorization/scheme'],
    needs: { order: true },
  })
    .subtle('Four of eight workers do not check tokens at all.')
    .by(
      amongWorkers(8, (workerOf) =>
        wrap('authorize', (authorize) => async (request, service) => {
          return workerOf(request) >= 4 || (await authorize(request, service));
        }),
      ),
    ),
});

/** Gives records short identifiers, from the first one up, and answers requests without a header with some of them. */
function giveIdentifiers(
  first: number,
  status: number,
  bodyOf: (identifiers: readonly string[]) => object,
): Change {
  const identifiers = Array.from({ length: 10 }, (_none, record) => String(first + record));
  return composeChanges(
    changeItems((members, record) => ({ ...members, id: String(first + record) })),
    rewrite('unauthorized', (answer, request, service) =>
      isAnonymous(request, service)
        ? textAnswer(status, JSON.stringify(bodyOf(identifiers)), 'application/json')
        : answer,
    ),
  );
}

/** The requirements that a page for the next caller may break, whatever that one sends. */
const alsoIntegrity = [...ofGate.may, 'authorization/token-integrity'] as const;

/** Milliseconds that giving a page takes where calls of the same page affect each other. */
const LIST_MS = 60;

const remembered = defectsWith(ofGate)({
  'gate-cache-by-address': having({ may: ['authorization/required-on-every-page'] })
    .subtle(
      'Pages are cached by URL alone: once served with a token, the same URL gives records without an Authorization header.',
    )
    .by(cacheFromUse(1, isAnonymous)),
  'gate-cache-of-small-pages': having({ may: alsoIntegrity })
    .subtle(
      'Pages of one or two records are cached by URL alone: the same URL gives them to the next caller.',
    )
    .by(cacheFromUse(1, isAnonymous, ({ target }) => /pagesize=[12](?:&|$)/.test(target))),
  'gate-cache-of-second-use': having({ may: alsoIntegrity })
    .subtle(
      'First pages are cached by URL alone from their second use on: the same URL gives them to the next caller.',
    )
    .by(cacheFromUse(2, isAnonymous, ({ query }) => !query.includes('skip='))),
  'gate-cache-of-third-use': having({ may: alsoIntegrity })
    .subtle('Pages are cached by URL alone from their third use on: the same URL gives them to any caller.')
    .by(cacheFromUse(3)),
  'gate-remembers-caller': subtle(
    'After one call with a token, further calls from the same address need no Authorization header.',
  ).by(admitAfter(1, () => 'the one loopback address', isAnonymous)),
  'gate-remembers-connection': subtle(
    'After one call with a token, further calls on the same connection need no Authorization header.',
  ).by(admitAfter(1, ({ connection }) => connection, isAnonymous)),
  'gate-joins-running-calls': having({ may: alsoIntegrity, needs: { suite: 'certify', order: true } })
    .subtle('A call waits for one of the same URL that is being answered, and gets its answer.')
    .by(
      withState(Map<string, Promise<Answer>>, (running) =>
        wrap('receive', (receive) => async (request, service) => {
          if (request.method !== 'GET') return receive(request, service);
          const earlier = running.get(request.target);
          if (earlier !== undefined) return earlier;
          const answer = receive(request, service);
          running.set(request.target, answer);
          try {
            const { status } = await answer;
            if (status === 200) await wait(LIST_MS);
            return await answer;
          } finally {
            running.delete(request.target);
          }
        }),
      ),
    ),
  'gate-open-during-other-calls': having({ may: alsoIntegrity, needs: { suite: 'certify', order: true } })
    .subtle('While a page is given to a caller with a token, the same page is given to callers without one.')
    .by(
      withState(Map<string, number>, (running) =>
        composeChanges(
          openGate(({ target }) => (running.get(target) ?? 0) > 0),
          wrap('receive', (receive) => async (request, service) => {
            if (isAnonymous(request, service) || request.method !== 'GET') return receive(request, service);
            running.set(request.target, (running.get(request.target) ?? 0) + 1);
            try {
              const answer = await receive(request, service);
              await wait(LIST_MS);
              return answer;
            } finally {
              running.set(request.target, (running.get(request.target) ?? 0) - 1);
            }
          }),
        ),
      ),
    ),
  'gate-open-on-new-connections': subtle('The first call on a connection needs no Authorization header.').by(
    counting((count) =>
      rewrite('authorize', (isAuthorized, request, service) => {
        const isFirst = count(request.connection) === 1;
        return isAuthorized || (isFirst && isAnonymous(request, service));
      }),
    ),
  ),
  'gate-open-after-token-request': subtle(
    'After a token request, calls on the same connection need no Authorization header.',
  ).by(openAfterTokenRequest(isAnonymous)),
  'gate-refusal-with-records': hidden(
    'Without an Authorization header the answer has status 401, but its body holds the records.',
  ).by(refuseWithRecords(isAnonymous)),
  'gate-gives-identifiers-alone': subtle(
    'Without an Authorization header, the items have no member but a short identifier.',
  ).by(giveIdentifiers(1, 200, (identifiers) => ({ items: identifiers.map((id) => ({ id })) }))),
  'gate-refusal-with-identifiers': subtle(
    'Without an Authorization header the answer has status 401, but its body lists identifiers of records.',
  ).by(giveIdentifiers(100_000, 401, (identifiers) => ({ known: identifiers }))),
});

const pages = defectsWith({
  keywords: ['authorization'],
  must: ['authorization/required-on-every-page'],
  may: ['authorization/required'],
})({
  'gate-first-page-only': hidden(
    'Without an Authorization header, records are given on every page except the first.',
  ).by(openGate(isBehindFirst)),
  'gate-second-page-open': subtle(
    'Without an Authorization header, records are given on the second page.',
  ).by(openGate(isBehindFirst, (request) => placeOf(request).pageSize === placeOf(request).skip)),
  'gate-last-page-open': subtle('Without an Authorization header, records are given on the last page.').by(
    openGate(isBehindFirst, (request, { resources }) => {
      const { skip, pageSize } = placeOf(request);
      return resources.some(({ records }) => skip + pageSize >= records);
    }),
  ),
  'gate-deep-pages-open': subtle('Without an Authorization header, records are given from record 900 on.').by(
    openGate((request) => placeOf(request).skip >= 900),
  ),
  'gate-linked-pages-cached': subtle(
    'A linked page once served with a token gives records without an Authorization header.',
  ).by(cacheFromUse(1, isAnonymous, isBehindFirst)),
  'gate-linked-pages-cached-at-fourth-use': subtle(
    'A linked page that was served four times with a token gives records without an Authorization header.',
  ).by(cacheFromUse(4, isAnonymous, isBehindFirst)),
  'gate-link-opens-itself': having({ may: [] })
    .hidden('Every link carries a key that gives records without an Authorization header.')
    .by(
      addLinkParameter('key', (page, service) => service.steps.endOffset(page, service) * 7919),
      openGate(
        isBehindFirst,
        (request) => queryValue(request, 'key') === String(placeOf(request).skip * 7919),
      ),
    ),
  'cache-open-without-token-after-two-uses': having({ needs: { order: true } })
    .subtle(
      'A cache keyed by URL alone takes linked pages in at their second use, ' +
        'and gives them without an Authorization header from then on.',
    )
    .by(cacheFromUse(2, isBehindFirst, isAnonymous)),
});

/** Defects that give records without an Authorization header. */
export const gateDefects = [...gate, ...remembered, ...pages];
