import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, type Session, wrap } from '../pipeline.ts';
import { headerOf } from './authorization-token-location.ts';

type Recognise = (given: string, issued: string) => boolean;

/** Also accepts a text that resembles an issued token which is still valid. */
function acceptSimilarTokens(recognise: Recognise): Change {
  return (steps) => {
    const known: { readonly token: string; readonly session: Session }[] = [];
    return {
      ...steps,
      issue: async (grant, service) => {
        const { token, issuedAt, expiresAt } = await steps.issue(grant, service);
        known.push({ token, session: { clientId: grant.client.clientId, scope: grant.scope, expiresAt } });
        return { token, issuedAt, expiresAt };
      },
      resolve: async (token, service) =>
        (await steps.resolve(token, service)) ??
        known.find((one) => one.session.expiresAt > service.now() && recognise(token, one.token))?.session,
    };
  };
}

/** Keeps the sessions of tokens that were used, each by a part of its token, so that other tokens with this part get it too. */
function cacheValidations(
  words: string,
  tokens: 'jwt' | 'opaque',
  keyOf: (token: string) => string,
): DefectDraft {
  return {
    sentence: `A token that was not issued is accepted after one was used: ${words}.`,
    keywords: ['only after'],
    must: ['authorization/token-integrity'],
    needs: { tokens },
    difficulty: 'subtle',
    apply: wrap('resolve', (resolve) => {
      const cached = new Map<string, Session>();
      return async (token, service) => {
        const session = await resolve(token, service);
        if (session !== undefined) cached.set(keyOf(token), session);
        const kept = cached.get(keyOf(token));
        return session ?? (kept !== undefined && kept.expiresAt > service.now() ? kept : undefined);
      };
    }),
  };
}

/** The three parts of a JWT; missing parts are empty strings. */
export function partsOf(token: string): readonly [string, string, string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
}

/** A part of a JWT; undefined if it is no object. */
export function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a payload, altered or not, has the form that this provider issues. */
export function isPlausible(part: string): boolean {
  return typeof jsonOf(part)?.['exp'] === 'number';
}

/** A token that was not issued is accepted. @param tokens the form of tokens that the defect needs, if any */
export function integrity(
  difficulty: Difficulty,
  words: string,
  recognise: Recognise,
  tokens?: 'jwt' | 'opaque',
): DefectDraft {
  return {
    sentence: `A token that was not issued is accepted: ${words}.`,
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    needs: tokens === undefined ? {} : { tokens },
    difficulty,
    apply: acceptSimilarTokens(recognise),
  };
}

function algorithmOf(token: string): unknown {
  return jsonOf(partsOf(token)[0])?.['alg'];
}

function isUnsigned(token: string, algorithm: (value: string) => boolean): boolean {
  const [, payload, signature] = partsOf(token);
  const value = algorithmOf(token);
  return typeof value === 'string' && algorithm(value) && signature === '' && isPlausible(payload);
}

const signedTokens = defectsOf({
  'jwt-signature-unchecked': integrity(
    'plain',
    'the signature of a JWT is not checked',
    (given) => given.split('.').length === 3 && isPlausible(partsOf(given)[1]) && partsOf(given)[2] !== '',
    'jwt',
  ),
  'jwt-algorithm-none': integrity(
    'plain',
    'a JWT with alg none and no signature',
    (given) => isUnsigned(given, (value) => value === 'none'),
    'jwt',
  ),
  'jwt-signature-any-case': {
    ...integrity(
      'subtle',
      'the signature of a JWT is compared without letter case',
      (given, issued) => {
        const [header, payload, signature] = partsOf(given);
        const [issuedHeader, issuedPayload, issuedSignature] = partsOf(issued);
        const same = signature.toLowerCase() === issuedSignature.toLowerCase();
        return header === issuedHeader && payload === issuedPayload && same;
      },
      'jwt',
    ),
    needs: { tokens: 'jwt', suite: 'certify' },
  },
  'jwt-algorithm-none-with-signature': {
    ...integrity(
      'subtle',
      'a JWT with alg none and any signature, which is not read then',
      (given) => algorithmOf(given) === 'none' && isPlausible(partsOf(given)[1]) && partsOf(given)[2] !== '',
      'jwt',
    ),
    needs: { tokens: 'jwt', suite: 'certify' },
  },
  'jwt-signature-stripped': integrity(
    'hidden',
    'a JWT without its signature',
    (given, issued) => {
      const [header, payload, signature] = partsOf(given);
      const [issuedHeader] = partsOf(issued);
      return header === issuedHeader && isPlausible(payload) && signature === '';
    },
    'jwt',
  ),
  'jwt-signature-beginning': integrity(
    'subtle',
    'only the first sixteen characters of the signature are compared',
    (given, issued) => {
      const [header, payload, signature] = partsOf(given);
      const [issuedHeader, issuedPayload, issuedSignature] = partsOf(issued);
      const same = signature.slice(0, 16) === issuedSignature.slice(0, 16);
      return header === issuedHeader && payload === issuedPayload && same;
    },
    'jwt',
  ),
  'jwt-signature-end': integrity(
    'subtle',
    'only the last sixteen characters of the signature are compared',
    (given, issued) => {
      const [header, payload, signature] = partsOf(given);
      const [issuedHeader, issuedPayload, issuedSignature] = partsOf(issued);
      const same = signature.slice(-16) === issuedSignature.slice(-16);
      return header === issuedHeader && payload === issuedPayload && same;
    },
    'jwt',
  ),
  'jwt-header-uncovered': integrity(
    'subtle',
    'the header of a JWT may be altered, because the signature is checked against the payload alone',
    (given, issued) => {
      const [, payload, signature] = partsOf(given);
      const [, issuedPayload, issuedSignature] = partsOf(issued);
      return (
        jsonOf(partsOf(given)[0]) !== undefined && payload === issuedPayload && signature === issuedSignature
      );
    },
    'jwt',
  ),
  'jwt-payload-uncovered': integrity(
    'hidden',
    'the payload of a JWT may be altered, because sessions are looked up by the signature alone',
    (given, issued) => isPlausible(partsOf(given)[1]) && partsOf(given)[2] === partsOf(issued)[2],
    'jwt',
  ),
  'jwt-signature-remembered': {
    sentence:
      'A token that was not issued is accepted: the signature of a JWT is not compared after its first use.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    needs: { tokens: 'jwt' },
    apply: wrap('resolve', (resolve) => {
      const seen = new Map<string, Session>();
      return async (token, service) => {
        const [header, payload] = partsOf(token);
        const session = await resolve(token, service);
        if (session !== undefined) seen.set(`${header}.${payload}`, session);
        return session ?? seen.get(`${header}.${payload}`);
      };
    }),
  },
});

const anyTokens = defectsOf({
  'token-accepted-when-repeated': {
    sentence:
      'A cache keeps refused tokens as known ones: a token that was not issued is accepted from its second use.',
    keywords: ['refused before'],
    must: ['authorization/token-integrity'],
    may: ['token/refused-after-expiry'],
    difficulty: 'subtle',
    apply: wrap('resolve', (resolve) => {
      const refused = new Set<string>();
      return async (token, service) => {
        const session = await resolve(token, service);
        if (session !== undefined || token === '') return session;
        if (!refused.has(token)) {
          refused.add(token);
          return undefined;
        }
        const { clientId, scope } = service.credentials;
        return { clientId, scope, expiresAt: Number.POSITIVE_INFINITY };
      };
    }),
  },
  'token-any': { ...integrity('plain', 'any text', () => true), may: ['token/refused-after-expiry'] },
  'token-any-of-length': {
    ...integrity(
      'hidden',
      'any text of the correct length',
      (given, issued) => given.length === issued.length,
    ),
    may: ['token/refused-after-expiry'],
  },
  'token-extended': integrity('hidden', 'an issued token with anything appended', (given, issued) =>
    given.startsWith(issued),
  ),
  'token-shortened': integrity(
    'hidden',
    'an issued token without its last characters',
    (given, issued) => given.length >= issued.length - 4 && issued.startsWith(given),
  ),
  'bearer-with-any-second-header': {
    sentence:
      'A call with the word Bearer alone gives records, also if another Authorization header follows.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    apply: wrap('authorize', (authorize) => async (request, service) => {
      const [first] = request.repeated('authorization');
      return (await authorize(request, service)) || /^Bearer\s*$/.test(first ?? '');
    }),
  },
  'token-empty-accepted': {
    sentence: 'A token that was not issued is accepted: the word Bearer without a token.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    may: ['authorization/required'],
    difficulty: 'hidden',
    apply: wrap(
      'authorize',
      (authorize) => async (request, service) =>
        /^Bearer *$/i.test(headerOf(request)) || authorize(request, service),
    ),
  },
  'token-empty-accepted-in-last-header': {
    sentence:
      'A token that was not issued is accepted: the word Bearer without a token, in the last Authorization header.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    may: ['authorization/required'],
    difficulty: 'subtle',
    apply: wrap(
      'authorize',
      (authorize) => async (request, service) =>
        /^Bearer *$/i.test(request.repeated('authorization').at(-1) ?? '') || authorize(request, service),
    ),
  },
});

const opaqueTokens = defectsOf({
  'opaque-any-case': integrity(
    'subtle',
    'an issued token in other letter case',
    (given, issued) => given.toLowerCase() === issued.toLowerCase(),
    'opaque',
  ),
  'opaque-beginning': integrity(
    'subtle',
    'only the first sixteen characters are compared',
    (given, issued) => given.slice(0, 16) === issued.slice(0, 16),
    'opaque',
  ),
  'opaque-end': integrity(
    'subtle',
    'only the last sixteen characters are compared',
    (given, issued) => given.slice(-16) === issued.slice(-16),
    'opaque',
  ),
  'opaque-middle-unread': integrity(
    'subtle',
    'the characters in the middle are not compared',
    (given, issued) =>
      given.length === issued.length &&
      given.slice(0, 14) === issued.slice(0, 14) &&
      given.slice(-14) === issued.slice(-14),
    'opaque',
  ),
});

/** Defects of reading and validating tokens. */
const cachedTokens = defectsOf({
  'jwt-validation-cached-by-signature': cacheValidations(
    'the cache of validations has the signature as its key',
    'jwt',
    (token) => partsOf(token)[2],
  ),
  'opaque-validation-cached-by-beginning': cacheValidations(
    'the cache of validations has the first 24 characters as its key',
    'opaque',
    (token) => token.slice(0, 24),
  ),
});

export const tokenUseDefects: readonly Defect[] = [
  ...signedTokens,
  ...anyTokens,
  ...opaqueTokens,
  ...cachedTokens,
];
