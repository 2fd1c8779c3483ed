import { createPublicKey, createVerify } from 'node:crypto';
import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, composeChanges, type ReceivedRequest, type Session, wrap } from '../pipeline.ts';

/** Reads a token from another place than the Bearer header. */
type FindToken = (request: ReceivedRequest) => string | undefined;

/** Also accepts a token from another place if there is no Bearer header. */
function acceptTokenFrom(find: FindToken): Change {
  return wrap('bearer', (bearer) => (request, service) => bearer(request, service) ?? find(request));
}

/** The value of a header; `''` if there is none. */
export function headerOf(request: ReceivedRequest, name = 'authorization'): string {
  return request.headers[name]?.toString() ?? '';
}

/** A defect that accepts the token in another place; `words` complete the sentence. */
export function tokenLocationDefect(difficulty: Difficulty, words: string, find: FindToken): DefectDraft {
  return {
    sentence: `The token is accepted ${words}.`,
    keywords: ['token'],
    must: ['authorization/scheme'],
    difficulty,
    apply: acceptTokenFrom(find),
  };
}

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

/** Accepts a cookie that was set by the answer to an authorized call. */
const sessionCookie: Change = composeChanges(
  wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
    const answer = pageAnswer(body, page, service);
    return { ...answer, headers: { ...answer.headers, 'Set-Cookie': 'sid=of-a-session; Path=/; HttpOnly' } };
  }),
  wrap(
    'authorize',
    (authorize) => async (request, service) =>
      headerOf(request, 'cookie').includes('sid=of-a-session') || authorize(request, service),
  ),
);

/** Tokens accepted in other places than the Authorization header, and under other schemes than Bearer. */
export const tokenLocationDefects: readonly Defect[] = defectsOf({
  'scheme-ends-in-bearer': tokenLocationDefect(
    'subtle',
    'under any scheme that ends in Bearer',
    (request) => {
      return /Bearer (\S+)$/.exec(headerOf(request, 'authorization'))?.[1];
    },
  ),
  'scheme-begins-with-bearer': tokenLocationDefect(
    'subtle',
    'under any scheme that begins with Bearer',
    (request) => {
      return /^Bearer\S* (\S+)$/.exec(headerOf(request, 'authorization'))?.[1];
    },
  ),
  'token-in-query-jwt': tokenLocationDefect('subtle', 'in the query as jwt', (request) => {
    return new URLSearchParams(request.query).get('jwt') ?? undefined;
  }),
  'token-in-basic-name': tokenLocationDefect('subtle', 'as the user name of HTTP Basic', (request) => {
    const pair = /^Basic (\S+)$/.exec(headerOf(request))?.[1] ?? '';
    return Buffer.from(pair, 'base64').toString('utf8').split(':')[0];
  }),
  'any-token-for-cached-url': {
    sentence:
      'For a second after a call with a valid token, the same URL is given for any Authorization header.',
    keywords: ['only after the same call'],
    must: ['authorization/token-integrity'],
    apply: wrap('authorize', (authorize) => {
      const cachedAt = new Map<string, number>();
      return async (request, service) => {
        const { target } = request;
        if (await authorize(request, service)) {
          cachedAt.set(target, performance.now());
          return true;
        }
        return headerOf(request) !== '' && performance.now() - (cachedAt.get(target) ?? -1000) < 1000;
      };
    }),
  },
  'token-in-api-key': tokenLocationDefect('hidden', 'in the header X-API-Key', (request) => {
    return headerOf(request, 'x-api-key') || undefined;
  }),
  'scheme-any-with-count': tokenLocationDefect('subtle', 'under any scheme if $count is given', (request) => {
    return request.query.includes('count') ? /^\S+ +(\S+)$/.exec(headerOf(request))?.[1] : undefined;
  }),
  'integrity-unchecked-behind-skip': {
    sentence: 'Any token is accepted if $skip is given.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    apply: wrap(
      'authorize',
      (authorize) => async (request, service) =>
        (await authorize(request, service)) ||
        (request.query.includes('skip') && headerOf(request).startsWith('Bearer ')),
    ),
  },
  'session-cookie-admits': {
    sentence: 'A cookie set by an authorized answer gives access without an Authorization header.',
    keywords: ['cookies'],
    must: ['authorization/required'],
    apply: sessionCookie,
  },
  'jwt-key-in-header': {
    sentence:
      'A token that was not issued is accepted: a JWT is verified with the key that its header carries.',
    keywords: ['token'],
    must: ['authorization/token-integrity'],
    needs: { tokens: 'jwt' },
    apply: (steps) => {
      const sessions: Session[] = [];
      return wrap('resolve', (resolve) => async (token, service) => {
        const session = await resolve(token, service);
        if (session !== undefined) sessions.push(session);
        return session ?? (isSignedByOwnKey(token) ? sessions.at(-1) : undefined);
      })(steps);
    },
  },
});

/** Defects that accept the token under another scheme. */
export const schemeDefects: readonly Defect[] = defectsOf({
  'scheme-any': tokenLocationDefect(
    'plain',
    'under any scheme',
    (request) => /^\S+ +(\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-none': tokenLocationDefect('plain', 'in the Authorization header without a scheme', (request) => {
    return /^\S+$/.exec(headerOf(request))?.[0];
  }),
  'scheme-basic': tokenLocationDefect(
    'hidden',
    'under the scheme Basic',
    (request) => /^Basic (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-token': tokenLocationDefect(
    'hidden',
    'under the scheme Token',
    (request) => /^Token (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-of-six-letters': tokenLocationDefect(
    'hidden',
    'after any seven characters at the start of the Authorization header',
    (request) => /^.{7}(\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-of-three-letters': tokenLocationDefect(
    'subtle',
    'under a scheme of three letters',
    (request) => /^[A-Z]{3} (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-prefix-trimmed': tokenLocationDefect(
    'hidden',
    'with or without the word Bearer before it',
    (request) => {
      return headerOf(request).replace(/^Bearer /, '');
    },
  ),
  'scheme-in-second-header': tokenLocationDefect('subtle', 'in a second Authorization header', (request) => {
    return request.repeated('authorization')[1];
  }),
  'scheme-in-joined-headers': tokenLocationDefect(
    'subtle',
    'in two Authorization headers joined',
    (request) => {
      const joined = request.repeated('authorization').join(' ');
      return request.repeated('authorization').length > 1 ? /^Bearer (\S+)$/.exec(joined)?.[1] : undefined;
    },
  ),
  'scheme-glued': tokenLocationDefect('subtle', 'if nothing separates it from the word Bearer', (request) => {
    return /^Bearer(\S+)$/.exec(headerOf(request))?.[1];
  }),
  'token-in-query': tokenLocationDefect('hidden', 'in the query as access_token', (request) => {
    return new URLSearchParams(request.query).get('access_token') ?? undefined;
  }),
  'token-in-cookie': tokenLocationDefect('hidden', 'in a cookie', (request) => {
    return /(?:^|; *)[^=;]+=([^;]+)/.exec(request.headers['cookie']?.toString() ?? '')?.[1];
  }),
  'token-in-form': tokenLocationDefect('subtle', 'in a form-encoded body as access_token', (request) => {
    return new URLSearchParams(request.body.toString('utf8')).get('access_token') ?? undefined;
  }),
});
