import { createHmac, createPublicKey, createVerify } from 'node:crypto';
import { acceptHeader, admitFromThirdPage } from '../authorization-changes.ts';
import {
  defectsWith,
  having,
  hidden,
  plain,
  rareDefectsWith,
  subtle,
  type Traits,
  unissued,
} from '../catalogue-rows.ts';
import { type Change, withState } from '../changes.ts';
import type { Session } from '../pipeline.ts';
import { acceptSimilarTokens, acceptTokens, cacheSessions, isInForce } from '../token-changes.ts';

/** A part of a JWT; undefined if it is no object. */
function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The parts of a JWT, empty if they are missing, and what its header says. */
function jwtOf(token: string) {
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  const members = jsonOf(header);
  const claims = jsonOf(payload);
  return {
    parts: parts.length,
    header,
    payload,
    signature,
    members,
    algorithm: members?.['alg'],
    keyId: members?.['kid'],
    claims,
    /** Whether the payload, altered or not, has the form that this provider issues. */
    isPlausible: typeof claims?.['exp'] === 'number',
  };
}

type Jwt = ReturnType<typeof jwtOf>;

/** Also accepts a JWT with a plausible payload that is taken for an issued one. */
function acceptJwts(isTakenFor: (given: Jwt, issued: Jwt) => boolean): Change {
  return acceptSimilarTokens((given, issued) => {
    const jwt = jwtOf(given);
    return jwt.isPlausible && isTakenFor(jwt, jwtOf(issued));
  });
}

/** Common members of defects that accept a JWT which was not issued. */
const ofSignedTokens = {
  keywords: ['token'],
  must: ['authorization/token-integrity'],
  needs: { tokens: 'jwt' },
} satisfies Traits;

/** Whether two JWTs have these parts in common. */
function agree(given: Jwt, issued: Jwt, ...parts: readonly (keyof Jwt)[]): boolean {
  return parts.every((part) => given[part] === issued[part]);
}

/** Accepts an issued JWT with another signature that is taken for the issued one. */
function acceptSignatures(isSame: (given: string, issued: string) => boolean): Change {
  return acceptJwts((given, issued) => {
    return agree(given, issued, 'header', 'payload') && isSame(given.signature, issued.signature);
  });
}

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

const signedTokens = defectsWith(ofSignedTokens)({
  'jwt-signature-unchecked': plain(unissued('the signature of a JWT is not checked.')).by(
    acceptJwts(({ parts, signature }) => parts === 3 && signature !== ''),
  ),
  'jwt-algorithm-none': plain(unissued('a JWT with alg none and no signature.')).by(
    acceptJwts(({ algorithm, signature }) => algorithm === 'none' && signature === ''),
  ),
  'jwt-algorithm-none-capital': subtle(
    unissued('a JWT with alg None and no signature, because only none is refused.'),
  ).by(
    acceptJwts(
      ({ algorithm, signature }) =>
        algorithm !== 'none' && String(algorithm).toLowerCase() === 'none' && signature === '',
    ),
  ),
  'jwt-fourth-part': subtle(unissued('a JWT with a fourth part appended.')).by(
    acceptSimilarTokens((given, issued) => given.startsWith(`${issued}.`)),
  ),
  'jwt-signature-any-case': subtle(unissued('the signature of a JWT is compared without letter case.')).by(
    acceptSignatures((given, issued) => given.toLowerCase() === issued.toLowerCase()),
  ),
  'jwt-algorithm-none-with-signature': having({ needs: { tokens: 'jwt', suite: 'certify' } })
    .subtle(unissued('a JWT with alg none and any signature, which is not read then.'))
    .by(acceptJwts(({ algorithm, signature }) => algorithm === 'none' && signature !== '')),
  'jwt-signature-stripped': hidden(unissued('a JWT without its signature.')).by(
    acceptJwts((given, issued) => given.header === issued.header && given.signature === ''),
  ),
  'jwt-two-parts': hidden(unissued('a JWT without its third part.')).by(
    acceptJwts(({ parts }) => parts === 2),
  ),
  'jwt-signature-as-far-as-given': subtle(
    unissued('the signature of a JWT is compared only as far as the given one reaches.'),
  ).by(acceptSignatures((given, issued) => issued.startsWith(given))),
  'jwt-signature-beginning': subtle(
    unissued('only the first sixteen characters of the signature are compared.'),
  ).by(acceptSignatures((given, issued) => given.slice(0, 16) === issued.slice(0, 16))),
  'jwt-signature-end': subtle(unissued('only the last sixteen characters of the signature are compared.')).by(
    acceptSignatures((given, issued) => given.slice(-16) === issued.slice(-16)),
  ),
  'jwt-header-uncovered': subtle(
    unissued(
      'the header of a JWT may be altered, because the signature is checked against the payload alone.',
    ),
  ).by(
    acceptJwts((given, issued) => {
      return given.members !== undefined && agree(given, issued, 'payload', 'signature');
    }),
  ),
  'jwt-header-uncovered-but-its-key': subtle(
    unissued('only kid and alg of the header of a JWT are compared with those of the issued one.'),
  ).by(acceptJwts((given, issued) => agree(given, issued, 'payload', 'signature', 'algorithm', 'keyId'))),
  'jwt-payload-uncovered': hidden(
    unissued('the payload of a JWT may be altered, because sessions are looked up by the signature alone.'),
  ).by(acceptJwts((given, issued) => given.signature === issued.signature)),
  'jwt-signature-remembered': subtle(
    unissued('the signature of a JWT is not compared after its first use.'),
  ).by(
    cacheSessions(
      (token) => token.split('.', 2).join('.'),
      () => true,
    ),
  ),
  'jwt-signature-unchecked-from-third-page': subtle(
    'A token that was not issued is accepted from the third page on: the signature of a JWT is not checked there.',
  ).by(admitFromThirdPage((token) => jwtOf(token).isPlausible && jwtOf(token).parts === 3)),
  'jwt-validation-cached-by-signature': having({ keywords: ['only after'] })
    .subtle(
      'A token that was not issued is accepted after one was used: the cache of validations has the signature as its key.',
    )
    .by(cacheSessions((token) => jwtOf(token).signature, isInForce)),
  'jwt-read-as-three-parts': subtle(
    'The three parts of a JWT are read from the header; what follows them is ignored.',
  ).by(acceptHeader(/^Bearer ([\w-]+\.[\w-]+\.[\w-]+)/)),
  'jwt-key-in-header': subtle(unissued('a JWT is verified with the key that its header carries.')).by(
    withState(Array<Session>, (sessions) =>
      acceptTokens(
        (token) => (isSignedByOwnKey(token) ? sessions.at(-1) : undefined),
        (_token, session) => sessions.push(session),
      ),
    ),
  ),
  'jwt-zero-signature': subtle(unissued('a JWT whose signature consists of zeros.')).by(
    acceptJwts(
      ({ algorithm, signature }) =>
        algorithm === 'ES256' && Buffer.from(signature, 'base64url').equals(Buffer.alloc(64)),
    ),
  ),
  'jwt-signature-begins-with-zeros': subtle(
    unissued('a JWT is not verified further if the first half of its signature is zero.'),
  ).by(
    acceptJwts(({ signature }) =>
      Buffer.from(signature, 'base64url').subarray(0, 32).equals(Buffer.alloc(32)),
    ),
  ),
});

/** Accepts a JWT of three parts that are not empty and that `isUndecodable`. */
function acceptUndecodable(isUndecodable: (given: Jwt, issued: Jwt) => boolean): Change {
  return acceptSimilarTokens((given, issued) => {
    const jwt = jwtOf(given);
    const isWhole = jwt.parts === 3 && [jwt.header, jwt.payload, jwt.signature].every((part) => part !== '');
    return isWhole && isUndecodable(jwt, jwtOf(issued));
  });
}

const undecodableTokens = defectsWith(ofSignedTokens)({
  'jwt-undecodable': hidden(
    unissued('the error of a JWT whose header or payload is not JSON is ignored.'),
  ).by(acceptUndecodable(({ members, claims }) => members === undefined || claims === undefined)),
  'jwt-undecodable-beside-its-signature': having({ needs: { tokens: 'jwt', suite: 'certify' } })
    .subtle(unissued('the error of a JWT whose header is not JSON is ignored after its payload was read.'))
    .by(
      acceptUndecodable((given, issued) => {
        return given.members === undefined && agree(given, issued, 'payload', 'signature');
      }),
    ),
  'jwt-undecodable-payload': having({ needs: { tokens: 'jwt', suite: 'certify' } })
    .subtle(unissued('the error of a JWT whose payload is not JSON is ignored after its header was read.'))
    .by(acceptUndecodable(({ header, claims }, issued) => header === issued.header && claims === undefined)),
});

function isSignedWith(token: string, key: string): boolean {
  const { header, payload, signature, algorithm, isPlausible } = jwtOf(token);
  const made = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
  return algorithm === 'HS256' && isPlausible && signature === made;
}

function acceptWithout(member: string): Change {
  return acceptJwts(({ members }) => members !== undefined && !(member in members));
}

const rareTokens = rareDefectsWith(ofSignedTokens)({
  'jwt-read-from-its-end': subtle(unissued('an issued JWT behind other letters.')).by(
    acceptSimilarTokens((given, issued) => given.endsWith(issued)),
  ),
  'jwt-of-two-parts-unsigned': subtle(unissued('a JWT of two parts whose header says alg none.')).by(
    acceptJwts(({ parts, algorithm }) => parts === 2 && algorithm === 'none'),
  ),
  'jwt-unknown-key-unchecked': subtle(
    unissued('the signature of a JWT is not checked if its header names an unknown key.'),
  ).by(acceptJwts(({ keyId }, issued) => keyId !== undefined && keyId !== issued.keyId)),
  'jwt-encrypted-unchecked': hidden(unissued('a token of five parts, as one that is encrypted.')).by(
    acceptSimilarTokens((given) => given.split('.').length === 5),
  ),
  'jwt-without-key-id-unchecked': subtle(
    unissued('the signature of a JWT is not checked if its header names no key.'),
  ).by(acceptWithout('kid')),
  'jwt-of-another-issuer-unchecked': subtle(
    unissued('the signature of a JWT is not checked if its payload names another issuer.'),
  ).by(acceptJwts(({ claims }, issued) => claims?.['iss'] !== issued.claims?.['iss'])),
  'jwt-without-algorithm': subtle(unissued('a JWT whose header says no alg.')).by(acceptWithout('alg')),
  'jwt-without-key-id-and-empty-key': subtle(
    unissued('a JWT that names no key and is signed with an empty one.'),
  ).by(acceptSimilarTokens((given) => jwtOf(given).keyId === undefined && isSignedWith(given, ''))),
  'jwt-key-guessable': subtle(unissued('a JWT signed with the key changeme.')).by(
    acceptSimilarTokens((given) => isSignedWith(given, 'changeme')),
  ),
  'jwt-signed-with-client-secret': subtle(
    unissued('a JWT that the client has signed with its own client_secret.'),
  ).by(
    acceptTokens((token, { credentials: { clientId, clientSecret, scope }, now }) =>
      isSignedWith(token, clientSecret) ? { clientId, scope, expiresAt: now() + 1000 } : undefined,
    ),
  ),
});

export const jwtDefects = [...signedTokens, ...undecodableTokens, ...rareTokens];
