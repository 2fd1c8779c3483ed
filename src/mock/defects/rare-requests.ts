import { createHmac } from 'node:crypto';
import { refuseToken } from '../conforming/token.ts';
import { type Defect, defectsOf } from '../defect.ts';
import { composeChanges, type ReceivedRequest, type Service, wrap } from '../pipeline.ts';
import { changePageSize, requestedSize } from '../step-changes.ts';
import { gateDefect, laxRouter, openGate, parameterOf } from './authorization-gate.ts';
import { integrity, isPlausible, jsonOf, partsOf } from './authorization-token.ts';
import { headerOf, tokenLocationDefect } from './authorization-token-location.ts';
import { rareTokenRequestDefects } from './rare-token-requests.ts';
import { uncheckedExpiryDefect } from './token-expiry.ts';

/** Records that are enough for these defects. */
const FEW_RECORDS = 20;

const schemes = defectsOf({
  'scheme-oauth': tokenLocationDefect(
    'subtle',
    'under the scheme OAuth',
    (request) => /^OAuth (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-api-key': tokenLocationDefect(
    'subtle',
    'under the scheme ApiKey',
    (request) => /^ApiKey (\S+)$/i.exec(headerOf(request))?.[1],
  ),
  'token-in-basic-password': tokenLocationDefect('subtle', 'as the password of HTTP Basic', (request) => {
    const pair = /^Basic (\S+)$/.exec(headerOf(request))?.[1] ?? '';
    return Buffer.from(pair, 'base64').toString('utf8').split(':')[1];
  }),
  'client-credentials-open-the-list': {
    sentence:
      'The list is given to a client that shows client_id and client_secret by HTTP Basic, without a token.',
    keywords: ['basic'],
    must: ['authorization/scheme'],
    apply: wrap('authorize', (authorize) => async (request, service) => {
      const { clientId, clientSecret } = service.credentials;
      const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
      return headerOf(request) === `Basic ${pair}` || authorize(request, service);
    }),
  },
});

/** Whether a JWT is signed with that key by HMAC. */
function isSignedWith(token: string, key: string): boolean {
  const [header, payload, signature] = partsOf(token);
  const made = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
  return jsonOf(header)?.['alg'] === 'HS256' && isPlausible(payload) && signature === made;
}

const forgeries = defectsOf({
  'jwt-fourth-part': integrity(
    'subtle',
    'a JWT with a fourth part appended',
    (given, issued) => given.startsWith(`${issued}.`),
    'jwt',
  ),
  'opaque-punctuation-stripped': integrity(
    'subtle',
    'full stops and tildes at the end of a token are not compared',
    (given, issued) => given.replace(/[.~]+$/, '') === issued,
    'opaque',
  ),
  'opaque-last-character-unread': integrity(
    'subtle',
    'the last character of a token is not compared',
    (given, issued) => given.length === issued.length && given.slice(0, -1) === issued.slice(0, -1),
    'opaque',
  ),
  'jwt-of-two-parts-unsigned': integrity(
    'subtle',
    'a JWT of two parts whose header says alg none',
    (given) => {
      const [header = '', payload = '', signature] = given.split('.');
      return signature === undefined && jsonOf(header)?.['alg'] === 'none' && isPlausible(payload);
    },
    'jwt',
  ),
  'opaque-read-up-to-a-full-stop': integrity(
    'subtle',
    'a token followed by a full stop and anything',
    (given, issued) => given.split('.')[0] === issued,
    'opaque',
  ),
  'jwt-unknown-key-unchecked': integrity(
    'subtle',
    'the signature of a JWT is not checked if its header names an unknown key',
    (given, issued) => {
      const name = jsonOf(partsOf(given)[0])?.['kid'];
      return (
        name !== undefined && name !== jsonOf(partsOf(issued)[0])?.['kid'] && isPlausible(partsOf(given)[1])
      );
    },
    'jwt',
  ),
  'jwt-without-key-id-unchecked': integrity(
    'subtle',
    'the signature of a JWT is not checked if its header names no key',
    (given) => {
      const [header, payload] = partsOf(given);
      const members = jsonOf(header);
      return members !== undefined && !('kid' in members) && isPlausible(payload);
    },
    'jwt',
  ),
  'jwt-zero-signature': integrity(
    'subtle',
    'a JWT whose signature consists of zeros',
    (given) => {
      const [header, payload, signature] = partsOf(given);
      const bytes = Buffer.from(signature, 'base64url');
      return (
        jsonOf(header)?.['alg'] === 'ES256' &&
        isPlausible(payload) &&
        bytes.length === 64 &&
        bytes.every((byte) => byte === 0)
      );
    },
    'jwt',
  ),
  'token-names-member': integrity(
    'subtle',
    'the name of a member that every object has, such as constructor',
    (given) => given in {},
    'opaque',
  ),
  'jwt-without-algorithm': integrity(
    'subtle',
    'a JWT whose header says no alg',
    (given) => {
      const [header, payload] = partsOf(given);
      const read = jsonOf(header);
      return read !== undefined && !('alg' in read) && isPlausible(payload);
    },
    'jwt',
  ),
  'jwt-key-guessable': integrity(
    'subtle',
    'a JWT signed with the key changeme',
    (given) => isSignedWith(given, 'changeme'),
    'jwt',
  ),
  'jwt-signed-with-client-secret': {
    sentence:
      'A token that was not issued is accepted: a JWT that the client has signed with its own client_secret.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    needs: { tokens: 'jwt' },
    apply: wrap('resolve', (resolve) => async (token, service) => {
      const { clientId, clientSecret, scope } = service.credentials;
      const session = { clientId, scope, expiresAt: service.now() + 1000 };
      return (await resolve(token, service)) ?? (isSignedWith(token, clientSecret) ? session : undefined);
    }),
  },
  'authorization-header-empty-accepted': {
    sentence: 'A token that was not issued is accepted: an empty Authorization header gives records.',
    keywords: ['empty'],
    must: ['authorization/token-integrity'],
    apply: wrap(
      'authorize',
      (authorize) => async (request, service) =>
        request.headers['authorization'] === '' || authorize(request, service),
    ),
  },
  'token-too-long-accepted': integrity(
    'subtle',
    'a text of more than 250 characters, for which the store of tokens reports an error',
    (given) => given.length > 250,
    'opaque',
  ),
  'token-last-word-read': {
    ...tokenLocationDefect(
      'subtle',
      'after other words that follow Bearer',
      (request) => /^Bearer .* (\S+)$/.exec(headerOf(request))?.[1],
    ),
    must: ['authorization/token-integrity'],
  },
  'token-word-undefined': integrity('subtle', 'the word undefined', (given) => given === 'undefined'),
});

const paths = defectsOf({
  'gate-letter-case-of-one-segment': {
    ...laxRouter('ignores the letter case of the last segment', (path) =>
      path.replace(/[^/]+$/, (last) => last.toLowerCase()),
    ),
    difficulty: 'subtle',
  },
  'gate-format-suffix': {
    ...laxRouter('accepts the suffix .json', (path) => path.replace(/\.json$/, '')),
    difficulty: 'subtle',
  },
  'gate-current-directory': {
    ...laxRouter('removes one dot segment that names the same directory', (path) => path.replace('/./', '/')),
    difficulty: 'subtle',
    needs: { suite: 'certify' },
  },
  'gate-first-segment-encoded': {
    ...laxRouter('decodes the first segment', (path) => path.replace(/^\/[^/]+/, decodeURIComponent)),
    difficulty: 'subtle',
    needs: { suite: 'certify' },
  },
});

/** Whether a request has a page size from 1 to 20. */
function isSmall(request: ReceivedRequest, service: Service): boolean {
  const size = Number(parameterOf(request, service, '$pagesize') ?? '500');
  return size >= 1 && size <= 20;
}

/** Defects that concern some queries only. */
const queries = defectsOf({
  'expiry-unchecked-for-small-pages': uncheckedExpiryDefect('if $pagesize is at most 20', isSmall),
  'gate-open-to-bad-page-size': {
    ...gateDefect('subtle', 'if $pagesize is not a whole number from 1', isBadSize),
    // Such a size is taken for the default.
    apply: composeChanges(
      openGate(isBadSize),
      changePageSize((page) => (BAD_SIZE.test(requestedSize(page) ?? '1') ? 500 : undefined)),
    ),
  },
  'gate-open-to-other-formats': gateDefect('subtle', 'if the query asks for a format', ({ target }) =>
    /[?&]format=/.test(target),
  ),
  'gate-open-to-long-query': gateDefect(
    'subtle',
    'if the URL has more than 1024 characters',
    ({ target }) => {
      return target.length > 1024;
    },
  ),
  'gate-open-above-maximum': gateDefect('subtle', 'if $pagesize is above 500', (request, service) => {
    return Number(parameterOf(request, service, '$pagesize')) > 500;
  }),
});

/** Values of $pagesize that are not a whole number from 1. */
const BAD_SIZE = /^(?:0|-\d+|[a-z]+)$/i;

function isBadSize(request: ReceivedRequest, service: Service): boolean {
  return BAD_SIZE.test(parameterOf(request, service, '$pagesize') ?? '1');
}

/** Whether a target is that of a page behind the first one. */
function isBehindFirst(query: string): boolean {
  return /(?:\$|%24)skip=[1-9]/.test(query);
}

/** Defects that every full run finds. */
const always = defectsOf({
  'opaque-length-compared-only': integrity(
    'hidden',
    'any text that is as long as an issued token',
    (given, issued) => given.length === issued.length,
    'opaque',
  ),
  'token-in-query-of-linked-pages': tokenLocationDefect(
    'subtle',
    'in the query of every page except the first',
    (request) =>
      isBehindFirst(request.query)
        ? (new URLSearchParams(request.query).get('access_token') ?? undefined)
        : undefined,
  ),
  'expiry-unchecked-behind-skip': uncheckedExpiryDefect('if $skip is given', ({ query }) =>
    isBehindFirst(query),
  ),
  'token-form-order-fixed': {
    sentence: 'A token request whose first field is not grant_type is answered 400.',
    keywords: ['field'],
    must: ['token/issued'],
    apply: wrap('form', (form) => (request, service) => {
      const fields = form(request, service);
      const [first] = fields.keys();
      if (first !== 'grant_type' && fields.has('grant_type'))
        refuseToken(400, 'invalid_request', 'grant_type must be first');
      return fields;
    }),
  },
  'token-accept-demanded': {
    sentence: 'A token request without an Accept header is answered 406.',
    keywords: ['accept', '406'],
    must: ['token/issued'],
    apply: wrap('form', (form) => (request, service) => {
      if (request.headers['accept'] === undefined) refuseToken(406, 'invalid_request', 'Accept is required');
      return form(request, service);
    }),
  },
  'token-form-compared-undecoded': {
    sentence: 'The grant_type of a token request is compared before its percent-escapes are decoded.',
    keywords: ['percent-escape'],
    must: ['token/issued'],
    apply: wrap('form', (form) => (request, service) => {
      const isEscaped = /grant_type=client%5f/i.test(request.body.toString('latin1'));
      if (isEscaped) refuseToken(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
      return form(request, service);
    }),
  },
  'refusal-cached-for-everyone': {
    sentence: 'A refusal is cached by its URL and then given to callers with a valid token as well.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    // A page whose link was refused to another caller is refused from then on.
    may: ['traversal/followable'],
    apply: wrap('receive', (receive) => {
      const refused = new Map<string, Awaited<ReturnType<typeof receive>>>();
      return async (request, service) => {
        const known = refused.get(request.target);
        if (known !== undefined) return known;
        const answer = await receive(request, service);
        if (answer.status === 401 && request.method === 'GET') refused.set(request.target, answer);
        return answer;
      };
    }),
  },
});

/** Defects that show in rare requests only, too many for one run: a full run draws some of them by its seed. */
const drawn = [...rareTokenRequestDefects, ...schemes, ...forgeries, ...paths, ...queries].map(
  (defect): Defect => ({ ...defect, records: FEW_RECORDS, needs: { ...defect.needs, suite: 'certify' } }),
);

/** Defects that only rare kinds of wrong requests show. */
export const rareRequestDefects: readonly Defect[] = [...always, ...drawn];
