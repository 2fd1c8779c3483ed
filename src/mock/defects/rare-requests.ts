import { createHmac } from 'node:crypto';
import {
  acceptHeader,
  acceptTokenFrom,
  admit,
  headerOf,
  isBehindFirst,
  lacks,
  placeOf,
  queryValue,
} from '../authorization-changes.ts';
import { breaks, type Defect, defectsWith, having, subtle } from '../catalogue-rows.ts';
import { requestedSize } from '../page-tests.ts';
import { type Change, refuseToken, rewrite, wrap } from '../pipeline.ts';
import { setPageSize } from '../step-changes.ts';
import { acceptSimilarTokens, acceptTokens } from '../token-changes.ts';
import { refuseRequests } from '../token-request-changes.ts';
import { basicOf, ofScheme } from './authorization.ts';
import { laxRouter, ofGate, openGate } from './authorization-gate.ts';
import { acceptJwts, jwtOf, ofOpaqueTokens, ofSignedTokens } from './authorization-token.ts';
import { rareTokenRequestDefects } from './rare-token-requests.ts';
import { ignoreExpiry, ofExpiry } from './token-expiry.ts';

/** Records that are enough for these defects. */
const FEW_RECORDS = 20;

const schemes = defectsWith(ofScheme)({
  'scheme-oauth': subtle('The token is accepted under the scheme OAuth.').by(acceptHeader(/^OAuth (\S+)$/)),
  'scheme-api-key': subtle('The token is accepted under the scheme ApiKey.').by(
    acceptHeader(/^ApiKey (\S+)$/i),
  ),
  'token-in-basic-password': subtle('The token is accepted as the password of HTTP Basic.').by(
    acceptTokenFrom((request) => basicOf(request)[1]),
  ),
  'client-credentials-open-the-list': having({ keywords: ['basic'] })
    .subtle(
      'The list is given to a client that shows client_id and client_secret by HTTP Basic, without a token.',
    )
    .by(
      admit((request, { credentials: { clientId, clientSecret } }) => {
        const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
        return headerOf(request) === `Basic ${pair}`;
      }),
    ),
});

/** Whether a JWT is signed with that key by HMAC. */
function isSignedWith(token: string, key: string): boolean {
  const { header, payload, signature, algorithm, isPlausible } = jwtOf(token);
  const made = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
  return algorithm === 'HS256' && isPlausible && signature === made;
}

/** Accepts a JWT whose header lacks a member. */
function acceptWithout(member: string): Change {
  return acceptJwts(({ members }) => members !== undefined && !(member in members));
}

const alteredTokens = defectsWith(ofSignedTokens)({
  'jwt-read-from-its-end': subtle(
    'A token that was not issued is accepted: an issued JWT behind other letters.',
  ).by(acceptSimilarTokens((given, issued) => given.endsWith(issued))),
  'opaque-punctuation-stripped': having(ofOpaqueTokens)
    .subtle(
      'A token that was not issued is accepted: full stops and tildes at the end of a token are not compared.',
    )
    .by(acceptSimilarTokens((given, issued) => given.replace(/[.~]+$/, '') === issued)),
  'opaque-last-character-unread': having(ofOpaqueTokens)
    .subtle('A token that was not issued is accepted: the last character of a token is not compared.')
    .by(
      acceptSimilarTokens(
        (given, issued) => given.length === issued.length && given.slice(0, -1) === issued.slice(0, -1),
      ),
    ),
  'jwt-of-two-parts-unsigned': subtle(
    'A token that was not issued is accepted: a JWT of two parts whose header says alg none.',
  ).by(acceptJwts(({ parts, algorithm }) => parts === 2 && algorithm === 'none')),
  'opaque-read-up-to-a-full-stop': having(ofOpaqueTokens)
    .subtle('A token that was not issued is accepted: a token followed by a full stop and anything.')
    .by(acceptSimilarTokens((given, issued) => given.split('.')[0] === issued)),
  'jwt-unknown-key-unchecked': subtle(
    'A token that was not issued is accepted: the signature of a JWT is not checked if its header names an unknown key.',
  ).by(acceptJwts(({ keyId }, issued) => keyId !== undefined && keyId !== issued.keyId)),
  'jwt-without-key-id-unchecked': subtle(
    'A token that was not issued is accepted: the signature of a JWT is not checked if its header names no key.',
  ).by(acceptWithout('kid')),
  'jwt-of-another-issuer-unchecked': subtle(
    'A token that was not issued is accepted: the signature of a JWT is not checked if its payload names another issuer.',
  ).by(acceptJwts(({ claims }, issued) => claims?.['iss'] !== issued.claims?.['iss'])),
  'jwt-zero-signature': subtle(
    'A token that was not issued is accepted: a JWT whose signature consists of zeros.',
  ).by(
    acceptJwts(
      ({ algorithm, signature }) =>
        algorithm === 'ES256' && Buffer.from(signature, 'base64url').equals(Buffer.alloc(64)),
    ),
  ),
  'token-names-member': having(ofOpaqueTokens)
    .subtle(
      'A token that was not issued is accepted: the name of a member that every object has, such as constructor.',
    )
    .by(acceptSimilarTokens((given) => given in {})),
  'jwt-without-algorithm': subtle(
    'A token that was not issued is accepted: a JWT whose header says no alg.',
  ).by(acceptWithout('alg')),
  'jwt-key-guessable': subtle(
    'A token that was not issued is accepted: a JWT signed with the key changeme.',
  ).by(acceptSimilarTokens((given) => isSignedWith(given, 'changeme'))),
  'jwt-signed-with-client-secret': subtle(
    'A token that was not issued is accepted: a JWT that the client has signed with its own client_secret.',
  ).by(
    acceptTokens((token, { credentials: { clientId, clientSecret, scope }, now }) =>
      isSignedWith(token, clientSecret) ? { clientId, scope, expiresAt: now() + 1000 } : undefined,
    ),
  ),
  'authorization-header-empty-accepted': having({ keywords: ['empty'], needs: {} })
    .subtle('A token that was not issued is accepted: an empty Authorization header gives records.')
    .by(admit((request) => request.headers['authorization'] === '')),
  'token-too-long-accepted': having(ofOpaqueTokens)
    .subtle(
      'A token that was not issued is accepted: a text of more than 250 characters, for which the store of tokens reports an error.',
    )
    .by(acceptSimilarTokens((given) => given.length > 250)),
  'token-last-word-read': having({ needs: {} })
    .subtle('The token is accepted after other words that follow Bearer.')
    .by(acceptHeader(/^Bearer .* (\S+)$/)),
  'token-word-undefined': having({ needs: {} })
    .subtle('A token that was not issued is accepted: the word undefined.')
    .by(acceptSimilarTokens((given) => given === 'undefined')),
});

const paths = defectsWith({})({
  'gate-letter-case-of-one-segment': laxRouter('ignores the letter case of the last segment', (path) =>
    path.replace(/[^/]+$/, (last) => last.toLowerCase()),
  ),
  'gate-format-suffix': laxRouter('accepts the suffix .json', (path) => path.replace(/\.json$/, '')),
  'gate-current-directory': laxRouter('removes one dot segment that names the same directory', (path) =>
    path.replace('/./', '/'),
  ),
  'gate-current-directory-at-the-end': laxRouter('removes a dot segment at the end', (path) =>
    path.replace(/\/\.\/$/, ''),
  ),
  'gate-first-segment-encoded': laxRouter('decodes the first segment', (path) =>
    path.replace(/^\/[^/]+/, decodeURIComponent),
  ),
}).map((defect): Defect => ({ ...defect, difficulty: 'subtle' }));

/** Values of $pagesize that are not a whole number from 1. */
const BAD_SIZE = /^(?:0|-\d+|[a-z]+)$/i;

/** Defects that concern some queries only. */
const queries = defectsWith(ofGate)({
  'expiry-unchecked-for-small-pages': having({ ...ofExpiry, may: [] })
    .subtle('A token is always accepted after its validity ended if $pagesize is at most 20.')
    .by(ignoreExpiry((request) => placeOf(request).pageSize >= 1 && placeOf(request).pageSize <= 20)),
  'gate-open-to-bad-page-size': subtle(
    'Without an Authorization header, records are given if $pagesize is not a whole number from 1.',
  ).by(
    openGate((request) => BAD_SIZE.test(queryValue(request, '$pagesize') ?? '1')),
    // Such a size is taken for the default.
    setPageSize(500, (page) => BAD_SIZE.test(requestedSize(page) ?? '1')),
  ),
  'gate-open-to-other-formats': subtle(
    'Without an Authorization header, records are given if the query asks for a format.',
  ).by(openGate(({ target }) => /[?&]format=/.test(target))),
  'gate-open-to-empty-query': subtle(
    'Without an Authorization header, records are given if the query is empty.',
  ).by(openGate(({ target }) => target.endsWith('?'))),
  'gate-open-to-long-query': subtle(
    'Without an Authorization header, records are given if the URL has more than 1024 characters.',
  ).by(openGate(({ target }) => target.length > 1024)),
  'gate-open-above-maximum': subtle(
    'Without an Authorization header, records are given if $pagesize is above 500.',
  ).by(openGate((request) => placeOf(request).pageSize > 500)),
});

/** Defects that every full run finds. */
const always = defectsWith({ keywords: ['token'], must: ['token/issued'] })({
  'opaque-length-compared-only': having(ofOpaqueTokens)
    .hidden('A token that was not issued is accepted: any text that is as long as an issued token.')
    .by(acceptSimilarTokens((given, issued) => given.length === issued.length)),
  'token-in-query-of-linked-pages': having(ofScheme)
    .subtle('The token is accepted in the query of every page except the first.')
    .by(acceptTokenFrom((request) => queryValue(request, 'access_token'), isBehindFirst)),
  'expiry-unchecked-behind-skip': having(ofExpiry)
    .subtle('A token is always accepted after its validity ended if $skip is given.')
    .by(ignoreExpiry(isBehindFirst)),
  'token-form-order-fixed': having({ keywords: ['field'] })
    .subtle('A token request whose first field is not grant_type is answered 400.')
    .by(
      rewrite('form', (fields) => {
        const [first] = fields.keys();
        if (first !== 'grant_type' && fields.has('grant_type'))
          refuseToken(400, 'invalid_request', 'grant_type must be first');
        return fields;
      }),
    ),
  'token-accept-demanded': having({ keywords: ['accept', '406'] })
    .subtle('A token request without an Accept header is answered 406.')
    .by(refuseRequests(406, 'invalid_request', 'Accept is required', lacks('accept'))),
  'token-form-compared-undecoded': having({ keywords: ['percent-escape'] })
    .subtle('The grant_type of a token request is compared before its percent-escapes are decoded.')
    .by(
      refuseRequests(400, 'unsupported_grant_type', 'grant_type must be client_credentials', ({ body }) =>
        /grant_type=client%5f/i.test(body.toString('latin1')),
      ),
    ),
  'refusal-cached-for-everyone': breaks('authorization/accepted', '401')
    .having({
      // A page whose link was refused to another caller is refused from then on.
      may: ['traversal/followable'],
    })
    .subtle('A refusal is cached by its URL and then given to callers with a valid token as well.')
    .by(
      wrap('receive', (receive) => {
        const refused = new Map<string, Awaited<ReturnType<typeof receive>>>();
        return async (request, service) => {
          const known = refused.get(request.target);
          if (known !== undefined) return known;
          const answer = await receive(request, service);
          if (answer.status === 401 && request.method === 'GET') refused.set(request.target, answer);
          return answer;
        };
      }),
    ),
});

/** Defects that show in rare requests only, too many for one run: a full run draws some of them by its seed. */
const drawn = [...rareTokenRequestDefects, ...schemes, ...alteredTokens, ...paths, ...queries].map(
  (defect): Defect => ({ ...defect, records: FEW_RECORDS, needs: { ...defect.needs, suite: 'certify' } }),
);

/** Defects that only rare kinds of wrong requests show. */
export const rareRequestDefects = [...always, ...drawn];
