import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { answerUnauthorized } from '../authorization-changes.ts';
import { variant, variantsOf } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, rewrite, withState, wrap } from '../changes.ts';
import { type Issued, problem, withHeaders } from '../pipeline.ts';
import {
  acceptLonger,
  acceptSimilarTokens,
  changeTokenMember,
  changeTokenText,
  countDown,
  noteIssued,
  refuseRequests,
  restrictTokens,
  reuseTokens,
  reuseTokensFor,
  signedTexts,
  tokensOfCaches,
} from '../token-changes.ts';

/** Issues an old token of each client for its first two requests and then a new one, in each case until that expires. */
const oldTokensFirst: Change = wrap('issue', (issue) => {
  const cached = new Map<string, { readonly issued: Issued; requests: number }>();
  return async (grant, service) => {
    const { clientId } = grant.client;
    const known = cached.get(clientId);
    const isInForce = known !== undefined && service.now() < known.issued.expiresAt;
    if (isInForce && ++known.requests !== 3) return known.issued;
    const ageMs = known === undefined ? 300_000 : 0;
    const issued = await issue(grant, { ...service, now: () => service.now() - ageMs });
    cached.set(clientId, { issued, requests: known === undefined ? 1 : 3 });
    return issued;
  };
});

/** Counts expires_in down in all answers that give a token again. */
const countReusedDown = withState(Set<string>, (given) =>
  rewrite('tokenBody', (members, { token, expiresAt }, _grant, service) => {
    if (!given.has(token)) {
      given.add(token);
      return members;
    }
    return { ...members, expires_in: Math.round((expiresAt - service.now()) / 1000) };
  }),
);

/** The fractional parts of its multiples are spread evenly from 0 to 1, in no order. */
const GOLDEN_RATIO = 0.618_034;

/** Delays from 0 to so many milliseconds, the same in every run. */
function delayUpTo(mostMs: number, number: number): number {
  return ((number * GOLDEN_RATIO) % 1) * mostMs;
}

/** Answers token requests after up to so many real milliseconds, so that later ones overtake earlier ones. */
function delayTokenAnswers(mostMs: number): Change {
  return counting((count) =>
    wrap('token', (token) => async (...given) => {
      const answer = await token(...given);
      await wait(delayUpTo(mostMs, count()));
      return answer;
    }),
  );
}

/** Tokens with every kind of character that RFC 6750 allows. */
const decorateTokens = composeChanges(
  rewrite('issue', (issued) => ({ ...issued, token: `~${issued.token}.+/_==` })),
  wrap('resolve', (resolve) => async (token, service) => {
    return token.startsWith('~') && token.endsWith('.+/_==')
      ? resolve(token.slice(1, -6), service)
      : undefined;
  }),
);

/** Reads the last part of a token as bytes: other last characters with the same bits in use are as good. */
const ignoreSpareBits = wrap('resolve', (resolve) => (token, service) => {
  const start = token.lastIndexOf('.') + 1;
  const tidy = token.slice(0, start) + Buffer.from(token.slice(start), 'base64url').toString('base64url');
  return resolve(tidy.slice(0, -1) === token.slice(0, -1) ? tidy : token, service);
});

function bytesOf(token: string): string {
  return token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('hex'))
    .join('.');
}

/** Tokens of two parts, each decoded separately, so that unused bits occur in the middle as well. */
const twoPartTokens = withState(Map<string, string>, (inner) =>
  composeChanges(
    rewrite('issue', (issued) => {
      // Begins with B, and the first part ends with A: exchanging A and B at the end changes unused bits only.
      const first = randomBytes(16);
      first[0] = 0b000001_00;
      first[15] = (first[15] ?? 0) & 0b111111_00;
      const token = `${first.toString('base64url')}.${randomBytes(15).toString('base64url')}`;
      inner.set(bytesOf(token), issued.token);
      return { ...issued, token };
    }),
    wrap('resolve', (resolve) => async (token, service) => {
      const known = /^[\w-]{22}\.[\w-]{20}$/.test(token) ? inner.get(bytesOf(token)) : undefined;
      return known === undefined ? undefined : resolve(known, service);
    }),
  ),
);

/** A token request ends the older tokens of its client so many real milliseconds later. */
function endOlderTokensAfter(delayMs: () => number): Change {
  return withState(Map<string, { readonly clientId: string; endsAt: number }>, (tokens) =>
    composeChanges(
      noteIssued(({ token }, { client: { clientId } }) => {
        const endsAt = performance.now() + delayMs();
        for (const older of tokens.values())
          if (older.clientId === clientId) older.endsAt = Math.min(older.endsAt, endsAt);
        tokens.set(token, { clientId, endsAt: Number.POSITIVE_INFINITY });
      }),
      restrictTokens((token) => performance.now() < (tokens.get(token)?.endsAt ?? Number.NEGATIVE_INFINITY)),
    ),
  );
}

function newestTokensOnly(most: number, of: 'client' | 'all' = 'client'): Change {
  const ownerOf = (clientId: string): string => (of === 'client' ? clientId : '');
  return withState(Map<string, readonly string[]>, (inForce) =>
    composeChanges(
      noteIssued(({ token }, { client }) => {
        const owner = ownerOf(client.clientId);
        inForce.set(owner, [...(inForce.get(owner) ?? []), token].slice(-most));
      }),
      restrictTokens((token, { clientId }) => inForce.get(ownerOf(clientId))?.includes(token) === true),
    ),
  );
}

const opaque = { options: { tokens: 'opaque' } } as const;

/** Unusual but conforming token endpoints and tokens. */
export const tokenVariants = variantsOf({
  'tokens-opaque': variant('Tokens are random text.', opaque).by(),
  'token-content-type-html': variant('Token answers are JSON as text/html, as PHP sends it by default.').by(
    rewrite('tokenAnswer', (answer) => withHeaders(answer, { 'Content-Type': 'text/html; charset=UTF-8' })),
  ),
  'token-reused-counting-down': variant(
    'The same token is issued until it expires, and expires_in counts down.',
  ).by(reuseTokens, countDown),
  'token-reused-for-two-seconds': variant(
    'The same token is issued for two seconds, expires_in counts down, and answers overtake each other.',
  ).by(reuseTokensFor(2), countReusedDown, delayTokenAnswers(80)),
  'token-older-than-the-run': variant(
    'The first token is five minutes old, and its lifetime counts down; later ones are new.',
  ).by(oldTokensFirst, countDown),
  'tokens-of-two-caches-counting-down': variant(
    'Two servers each hand out a cached token, one of them ten minutes old, and count its lifetime down.',
    opaque,
  ).by(tokensOfCaches(0, 600), countDown),
  'tokens-of-three-caches-of-one-age': variant(
    'Three servers each hand out a cached token of the same age, and count its lifetime down.',
    opaque,
  ).by(tokensOfCaches(300, 300, 300), countDown),
  'token-newest-only': variant('A new token invalidates the previous one.').by(newestTokensOnly(1)),
  'token-newest-only-redirects': variant(
    'A new token invalidates the previous one, with which calls are redirected to a login page then.',
  ).by(
    newestTokensOnly(1),
    answerUnauthorized({
      status: 302,
      headers: { Location: 'https://login.provider.example/', 'Content-Type': 'text/html' },
      body: '<a href="https://login.provider.example/">Found</a>',
    }),
  ),
  'token-newest-two-not-found': variant(
    'Of the tokens of a client the newest two are in force; calls with another one are answered 404.',
  ).by(newestTokensOnly(2), answerUnauthorized(problem(404, 'nothing here'))),
  'token-newest-three': variant(
    'Of the tokens of a client the newest three are in force: a further one ends the oldest.',
  ).by(newestTokensOnly(3)),
  'token-newest-of-all-clients': variant('A new token invalidates the previous one of any client.').by(
    newestTokensOnly(1, 'all'),
  ),
  'token-newest-four-of-all-clients': variant(
    'Of the tokens of all clients together the newest four are in force.',
  ).by(newestTokensOnly(4, 'all')),
  'token-ended-a-second-later': variant('A new token invalidates the previous ones after a second.').by(
    endOlderTokensAfter(() => 1000),
  ),
  'token-ended-soon-after': variant(
    'A new token invalidates the previous ones within a second, as caches of several servers learn of it.',
  ).by(counting((count) => endOlderTokensAfter(() => delayUpTo(1000, count())))),
  'token-accepted-five-minutes-longer': variant(
    'An expired token is accepted for another 295 seconds to allow for clock skew.',
  ).by(acceptLonger(295)),
  'jwt-spare-bits-ignored': variant('The unused bits of the last character of a signature are ignored.').by(
    ignoreSpareBits,
  ),
  'jwt-empty-fourth-part-ignored': variant('A full stop after a JWT is ignored.').by(
    acceptSimilarTokens((given, issued) => given === `${issued}.`),
  ),
  'opaque-spare-bits-ignored': variant(
    'The unused bits of the last character of a random token are ignored.',
    opaque,
  ).by(ignoreSpareBits),
  'opaque-parts-spare-bits-ignored': variant(
    'A token has two encoded parts, and the unused bits at the end of each are ignored.',
    opaque,
  ).by(twoPartTokens),
  'token-of-text-and-signature': variant(
    'A token is JSON in base64url and a signature of it, separated by a full stop.',
    opaque,
  ).by(signedTexts()),
  'client-id-uuid-any-case': variant('The client_id is a UUID, and all spellings of the UUID are accepted.', {
    options: {
      credentials: {
        clientId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        clientSecret: 'vB3kQ9xT2mWz7LpR4sYd8HcN6fJgA1uE5oKi0bMt',
        scope: 'printers.read organization.read',
      },
    },
  }).by(
    rewrite('findClient', (found, clientId, { credentials: own }) => {
      const compact = clientId?.replace(/^urn:uuid:|[-{}()]/gi, '').toLowerCase();
      return compact === own.clientId.replaceAll('-', '') ? own : found;
    }),
  ),
  'token-characters': variant(
    'Tokens contain every kind of character that is allowed, including padding at the end.',
    opaque,
  ).by(decorateTokens),
  'token-further-members': variant('The token answer has additional members, in another order.').by(
    rewrite('tokenBody', (members) => {
      const entries = Object.entries(members).reverse();
      return { ext_expires_in: 7200, not_before: '0', ...Object.fromEntries(entries), refresh_token: null };
    }),
  ),
  'token-answer-indented': variant('The token answer is indented, and expires_in is written as 3600.0.').by(
    rewrite('tokenAnswer', (answer, body) => {
      const text = JSON.stringify(body, null, 2).replace(/"expires_in": (\d+)/, '"expires_in": $1.0');
      return { ...answer, body: `\r\n${text}\r\n` };
    }),
  ),
  'token-scope-narrowed': variant('Fewer scopes are granted than requested.').by(
    rewrite('grantScope', (scope) => scope.split(' ')[0] ?? ''),
  ),
  'token-scope-widened': variant('More scopes are granted than requested, one of them a URL.').by(
    changeTokenMember('scope', (scope) => `${scope} https://api.example/.default offline!`),
  ),
  'token-scope-optional': variant('A token request without scope gets all scopes.').by(
    wrap('grantScope', (grantScope) => (client, scope, service) => {
      return grantScope(client, scope ?? client.scope, service);
    }),
  ),
  'token-lenient-spelling': variant(
    'grant_type is accepted in other letter case and with spaces around it.',
  ).by(
    wrap('grantTypeAccepted', (accepted) => (value, service) => {
      return accepted(value?.trim().toLowerCase(), service);
    }),
  ),
  'token-members-twice': variant('The token answer gives each member twice, with the same value.').by(
    changeTokenText((json) => json.replace(/^\{(.*)\}$/s, '{$1,$1}')),
  ),
  'token-json-too': variant('The token request may also be a JSON body or a GET with a query.').by(
    wrap('token', (token) => (request, service) => {
      const get = request.method === 'GET';
      return token(get ? { ...request, method: 'POST', body: Buffer.from(request.query) } : request, service);
    }),
    wrap('form', (form) => (request, service) => {
      const type = request.headers['content-type']?.toString() ?? '';
      if (type.includes('json')) {
        const fields: Record<string, unknown> = JSON.parse(request.body.toString('utf8'));
        return new Map(Object.entries(fields).map(([name, value]) => [name, String(value)]));
      }
      const headers = { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' };
      return form(type === '' ? { ...request, headers } : request, service);
    }),
  ),
  'token-content-type-exact': variant('The token request is refused if its Content-Type has a parameter.').by(
    refuseRequests(
      415,
      'invalid_request',
      'unsupported content type',
      ({ headers }) => headers['content-type'] !== 'application/x-www-form-urlencoded',
    ),
  ),
  'token-among-white-space': variant(
    'The token answer has 50,000 leading spaces and 50,000 trailing line breaks.',
  ).by(changeTokenText((json) => `${' '.repeat(50_000)}${json}${'\n'.repeat(50_000)}`)),
  'token-further-members-twice': variant(
    'The token answer gives an additional member twice, and another one holds a duplicate name.',
  ).by(changeTokenText((json) => json.replace(/^\{/, '{"note":1,"note":2,"client":{"id":1,"id":2},'))),
  'token-cacheable': variant(
    'The token answer has no Cache-Control and an unusual spelling of its media type.',
  ).by(
    rewrite('tokenAnswer', (answer) => ({
      ...answer,
      headers: { 'content-type': 'Application/JSON;Charset="UTF-8"' },
    })),
  ),
});
