import { createPublicKey, createVerify } from 'node:crypto';
import { acceptHeader, acceptTokenFrom, admit, headerOf, queryValue } from '../authorization-changes.ts';
import { breaks, defectsWith, having, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import { isCounted, isLinked } from '../page-tests.ts';
import {
  type Answer,
  answerListCalls,
  answerRequests,
  type Change,
  composeChanges,
  counting,
  everyNth,
  type ReceivedRequest,
  rewrite,
  type Session,
  textAnswer,
  withHeaders,
  withState,
  wrap,
} from '../pipeline.ts';
import {
  addToCount,
  changeCount,
  onFirstTime,
  onPages,
  onTimes,
  refusePages,
  whenRepeated,
} from '../step-changes.ts';
import {
  acceptTokens,
  changeTokenMember,
  endTokens,
  noteIssued,
  onTokens,
  restrictTokens,
} from '../token-changes.ts';

/** Issues long tokens, and refuses every request with a header that is longer than a limit before anything reads it. */
function limitHeaders(limit: number, refusal: Answer, tokenLength: number): Change {
  return composeChanges(
    rewrite('issue', (issued) => ({ ...issued, token: issued.token.padEnd(tokenLength, 'Ab0') })),
    answerRequests((request) => (headerOf(request).length > limit ? refusal : undefined)),
  );
}

/** Gives pages another status. */
function setPageStatus(status: number): Change {
  return rewrite('pageAnswer', (answer) => ({ ...answer, status }));
}

/** Defects that refuse a valid token. */
export const acceptedDefects = defectsWith({ keywords: ['401'], must: ['authorization/accepted'] })({
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
});

/** Refuses every call with tokens of the first provider that `isLost` selects when they are issued. */
function loseTokens(isLost: () => boolean): Change {
  return endTokens((ended) =>
    noteIssued(({ token }, { client }, { clients }) => {
      if (client === clients[0] && isLost()) ended.add(token);
    }),
  );
}

/** Defects that show in the first call of a kind only, or in all except the first. */
export const firstCallDefects = defectsWith({
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
  'count-other-when-repeated': breaks('count/stable', 'count', 'repeated')
    .subtle('count is two too high when a page is requested again.')
    .by(whenRepeated(addToCount(2))),
  'count-of-page-when-repeated': breaks('count/stable', 'count', 'repeated')
    .subtle('count is the number of records on the page when a page is requested for the second time.')
    .by(
      onTimes((time) => time === 2)(
        changeCount((_count, { pageSize, total, skip }) => Math.min(pageSize, total - skip)),
      ),
    ),
});

/** The user name and the password of HTTP Basic. */
export function basicOf(request: ReceivedRequest): readonly string[] {
  const pair = /^Basic (\S+)$/.exec(headerOf(request))?.[1] ?? '';
  return Buffer.from(pair, 'base64').toString('utf8').split(':');
}

/** Common members of defects that accept the token in another place or under another scheme. */
export const ofScheme = {
  keywords: ['token'],
  must: ['authorization/scheme'],
} satisfies Traits;

const ofIntegrity = having({ must: ['authorization/token-integrity'] });

/** Verifies a JWT with the key in its own header. */
function isSignedByOwnKey(token: string): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  try {
    const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const verifier = createVerify('sha256').update(`${header}.${payload}`);
    const how = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
    return verifier.verify(how, signature, 'base64url');
  } catch {
    return false;
  }
}

/** Tokens accepted in other places than the Authorization header, and under other schemes than Bearer. */
export const tokenLocationDefects = defectsWith(ofScheme)({
  'scheme-ends-in-bearer': subtle('The token is accepted under any scheme that ends in Bearer.').by(
    acceptHeader(/Bearer (\S+)$/),
  ),
  'scheme-begins-with-bearer': subtle('The token is accepted under any scheme that begins with Bearer.').by(
    acceptHeader(/^Bearer\S* (\S+)$/),
  ),
  'token-in-query-jwt': subtle('The token is accepted in the query as jwt.').by(
    acceptTokenFrom((request) => queryValue(request, 'jwt')),
  ),
  'token-in-basic-name': subtle('The token is accepted as the user name of HTTP Basic.').by(
    acceptTokenFrom((request) => basicOf(request)[0]),
  ),
  'any-token-for-cached-url': ofIntegrity
    .having({ may: ['authorization/scheme'], keywords: ['only after the same call'] })
    .subtle(
      'For a second after a call with a valid token, the same URL is given for any Authorization header.',
    )
    .by(
      withState(Map<string, number>, (cachedAt) =>
        rewrite('authorize', (isAuthorized, request) => {
          const now = performance.now();
          if (isAuthorized) cachedAt.set(request.target, now);
          return (
            isAuthorized || (headerOf(request) !== '' && now - (cachedAt.get(request.target) ?? -1000) < 1000)
          );
        }),
      ),
    ),
  'token-in-api-key': hidden('The token is accepted in the header X-API-Key.').by(
    acceptTokenFrom((request) => headerOf(request, 'x-api-key') || undefined),
  ),
  'scheme-any-with-count': subtle('The token is accepted under any scheme if $count is given.').by(
    acceptHeader(/^\S+ +(\S+)$/, ({ query }) => query.includes('count')),
  ),
  'integrity-unchecked-behind-skip': ofIntegrity
    .subtle('Any token is accepted if $skip is given.')
    .by(admit((request) => request.query.includes('skip') && headerOf(request).startsWith('Bearer '))),
  'token-read-as-its-characters': ofIntegrity
    .having({ needs: { tokens: 'opaque' } })
    .subtle('The characters of a token are read from the header; what follows them is ignored.')
    .by(acceptHeader(/^Bearer ([\w.~+/-]+=*)/)),
  'jwt-read-as-three-parts': ofIntegrity
    .having({ needs: { tokens: 'jwt' } })
    .subtle('The three parts of a JWT are read from the header; what follows them is ignored.')
    .by(acceptHeader(/^Bearer ([\w-]+\.[\w-]+\.[\w-]+)/)),
  'session-cookie-admits': breaks('authorization/required', 'cookies')
    .subtle('A cookie set by an authorized answer gives access without an Authorization header.')
    .by(
      rewrite('pageAnswer', (answer) =>
        withHeaders(answer, { 'Set-Cookie': 'sid=of-a-session; Path=/; HttpOnly' }),
      ),
      admit((request) => headerOf(request, 'cookie').includes('sid=of-a-session')),
    ),
  'jwt-key-in-header': ofIntegrity
    .having({ needs: { tokens: 'jwt' } })
    .subtle(
      'A token that was not issued is accepted: a JWT is verified with the key that its header carries.',
    )
    .by(
      withState(Array<Session>, (sessions) =>
        acceptTokens(
          (token) => (isSignedByOwnKey(token) ? sessions.at(-1) : undefined),
          (_token, session) => sessions.push(session),
        ),
      ),
    ),
});

/** Defects that accept the token under another scheme. */
export const schemeDefects = defectsWith(ofScheme)({
  'scheme-any': plain('The token is accepted under any scheme.').by(acceptHeader(/^\S+ +(\S+)$/)),
  'scheme-none': plain('The token is accepted in the Authorization header without a scheme.').by(
    acceptHeader(/^(\S+)$/),
  ),
  'scheme-basic': hidden('The token is accepted under the scheme Basic.').by(acceptHeader(/^Basic (\S+)$/)),
  'scheme-token': hidden('The token is accepted under the scheme Token.').by(acceptHeader(/^Token (\S+)$/)),
  'scheme-of-six-letters': hidden(
    'The token is accepted after any seven characters at the start of the Authorization header.',
  ).by(acceptHeader(/^.{7}(\S+)$/)),
  'scheme-of-three-letters': subtle('The token is accepted under a scheme of three letters.').by(
    acceptHeader(/^[A-Z]{3} (\S+)$/),
  ),
  'scheme-prefix-trimmed': hidden('The token is accepted with or without the word Bearer before it.').by(
    acceptTokenFrom((request) => headerOf(request).replace(/^Bearer /, '')),
  ),
  'scheme-in-second-header': subtle('The token is accepted in a second Authorization header.').by(
    acceptTokenFrom((request) => request.repeated('authorization')[1]),
  ),
  'scheme-in-joined-headers': subtle('The token is accepted in two Authorization headers joined.').by(
    acceptTokenFrom((request) => {
      const headers = request.repeated('authorization');
      return headers.length > 1 ? /^Bearer (\S+)$/.exec(headers.join(' '))?.[1] : undefined;
    }),
  ),
  'scheme-followed-by-colon': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted after "Bearer:" and a space.')
    .by(acceptHeader(/^Bearer: (\S+)$/)),
  'scheme-glued': subtle('The token is accepted if nothing separates it from the word Bearer.').by(
    acceptHeader(/^Bearer(\S+)$/),
  ),
  'token-in-query': hidden('The token is accepted in the query as access_token.').by(
    acceptTokenFrom((request) => queryValue(request, 'access_token')),
  ),
  'scheme-before-quoted-token': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted in quotation marks.')
    .by(acceptHeader(/^Bearer "(\S+)"$/)),
  'token-in-query-beside-header': having({ needs: { suite: 'certify' } })
    .subtle(
      'The token is accepted in the query as access_token if there is an Authorization header with another.',
    )
    .by(rewrite('bearer', (token, request) => token && (queryValue(request, 'access_token') ?? token))),
  'scheme-none-with-count': having({ needs: { suite: 'certify' } })
    .subtle('With $count=true the token is accepted without a scheme.')
    .by(acceptHeader(/^(\S+)$/, (request) => queryValue(request, '$count') === 'true')),
  'token-in-cookie': hidden('The token is accepted in a cookie.').by(
    acceptTokenFrom((request) => /(?:^|; *)[^=;]+=([^;]+)/.exec(headerOf(request, 'cookie'))?.[1]),
  ),
  'token-in-form': subtle('The token is accepted in a form-encoded body as access_token.').by(
    acceptTokenFrom(
      ({ body }) => new URLSearchParams(body.toString('utf8')).get('access_token') ?? undefined,
    ),
  ),
});
