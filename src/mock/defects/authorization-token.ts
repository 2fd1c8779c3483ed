import { admit, admitFromThirdPage, headerOf } from '../authorization-changes.ts';
import { defectsWith, having, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import { type Change, counting } from '../pipeline.ts';
import {
  acceptAsFirstClient,
  acceptSimilarTokens,
  acceptTokens,
  cacheSessions,
  hasSameEnds,
  isInForce,
} from '../token-changes.ts';

type Jwt = ReturnType<typeof jwtOf>;

/** The parts of a JWT, empty if they are missing, and what its header says. */
export function jwtOf(token: string) {
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  const members = jsonOf(header);
  const claims = jsonOf(payload);
  return {
    parts: parts.length,
    header,
    payload,
    signature,
    /** The members of the header. */
    members,
    algorithm: members?.['alg'],
    keyId: members?.['kid'],
    claims,
    /** Whether the payload, altered or not, has the form that this provider issues. */
    isPlausible: typeof claims?.['exp'] === 'number',
  };
}

/** A part of a JWT; undefined if it is no object. */
function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Also accepts a JWT with a plausible payload that is taken for an issued one. */
export function acceptJwts(isTakenFor: (given: Jwt, issued: Jwt) => boolean): Change {
  return acceptSimilarTokens((given, issued) => {
    const jwt = jwtOf(given);
    return jwt.isPlausible && isTakenFor(jwt, jwtOf(issued));
  });
}

/** Common members of defects that accept a token which was not issued. */
const ofIntegrity = {
  keywords: ['token'],
  must: ['authorization/token-integrity'],
} satisfies Traits;

export const ofSignedTokens = { ...ofIntegrity, needs: { tokens: 'jwt' } } as const;
export const ofOpaqueTokens = { ...ofIntegrity, needs: { tokens: 'opaque' } } as const;

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

const signedTokens = defectsWith(ofSignedTokens)({
  'jwt-signature-unchecked': plain(
    'A token that was not issued is accepted: the signature of a JWT is not checked.',
  ).by(acceptJwts(({ parts, signature }) => parts === 3 && signature !== '')),
  'jwt-algorithm-none': plain(
    'A token that was not issued is accepted: a JWT with alg none and no signature.',
  ).by(acceptJwts(({ algorithm, signature }) => algorithm === 'none' && signature === '')),
  'jwt-algorithm-none-capital': subtle(
    'A token that was not issued is accepted: a JWT with alg None and no signature, because only none is refused.',
  ).by(
    acceptJwts(
      ({ algorithm, signature }) =>
        algorithm !== 'none' && String(algorithm).toLowerCase() === 'none' && signature === '',
    ),
  ),
  'jwt-fourth-part': subtle('A token that was not issued is accepted: a JWT with a fourth part appended.').by(
    acceptSimilarTokens((given, issued) => given.startsWith(`${issued}.`)),
  ),
  'jwt-signature-any-case': having({ needs: { tokens: 'jwt' } })
    .subtle(
      'A token that was not issued is accepted: the signature of a JWT is compared without letter case.',
    )
    .by(acceptSignatures((given, issued) => given.toLowerCase() === issued.toLowerCase())),
  'jwt-algorithm-none-with-signature': having({ needs: { tokens: 'jwt', suite: 'certify' } })
    .subtle(
      'A token that was not issued is accepted: a JWT with alg none and any signature, which is not read then.',
    )
    .by(acceptJwts(({ algorithm, signature }) => algorithm === 'none' && signature !== '')),
  'jwt-signature-stripped': hidden(
    'A token that was not issued is accepted: a JWT without its signature.',
  ).by(acceptJwts((given, issued) => given.header === issued.header && given.signature === '')),
  'jwt-signature-beginning': subtle(
    'A token that was not issued is accepted: only the first sixteen characters of the signature are compared.',
  ).by(acceptSignatures((given, issued) => given.slice(0, 16) === issued.slice(0, 16))),
  'jwt-signature-end': subtle(
    'A token that was not issued is accepted: only the last sixteen characters of the signature are compared.',
  ).by(acceptSignatures((given, issued) => given.slice(-16) === issued.slice(-16))),
  'jwt-header-uncovered': subtle(
    'A token that was not issued is accepted: the header of a JWT may be altered, because the signature is checked against the payload alone.',
  ).by(
    acceptJwts((given, issued) => {
      return given.members !== undefined && agree(given, issued, 'payload', 'signature');
    }),
  ),
  'jwt-header-uncovered-but-its-key': subtle(
    'A token that was not issued is accepted: only kid and alg of the header of a JWT are compared with those of the issued one.',
  ).by(acceptJwts((given, issued) => agree(given, issued, 'payload', 'signature', 'algorithm', 'keyId'))),
  'jwt-payload-uncovered': hidden(
    'A token that was not issued is accepted: the payload of a JWT may be altered, because sessions are looked up by the signature alone.',
  ).by(acceptJwts((given, issued) => given.signature === issued.signature)),
  'jwt-signature-remembered': subtle(
    'A token that was not issued is accepted: the signature of a JWT is not compared after its first use.',
  ).by(
    cacheSessions(
      (token) => token.split('.', 2).join('.'),
      () => true,
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
    'A token that was not issued is accepted: the error of a JWT whose header or payload is not JSON is ignored.',
  ).by(acceptUndecodable(({ members, claims }) => members === undefined || claims === undefined)),
  'jwt-undecodable-beside-its-signature': having({ needs: { tokens: 'jwt', suite: 'certify' } })
    .subtle(
      'A token that was not issued is accepted: the error of a JWT whose header is not JSON is ignored after its payload was read.',
    )
    .by(
      acceptUndecodable((given, issued) => {
        return given.members === undefined && agree(given, issued, 'payload', 'signature');
      }),
    ),
  'jwt-undecodable-payload': having({ needs: { tokens: 'jwt', suite: 'certify' } })
    .subtle(
      'A token that was not issued is accepted: the error of a JWT whose payload is not JSON is ignored after its header was read.',
    )
    .by(acceptUndecodable(({ header, claims }, issued) => header === issued.header && claims === undefined)),
});

const alsoExpired = having({ may: ['token/refused-after-expiry'] });
const alsoWithoutHeader = having({ may: ['authorization/required'] });

/** Accepts any token from its given use on. */
function acceptFromUse(use: number): Change {
  return counting((count) => acceptAsFirstClient((token) => token !== '' && count(token) >= use));
}

const anyTokens = defectsWith(ofIntegrity)({
  'token-any-from-third-page': subtle(
    'A token that was not issued is accepted from the third page on: only that it has at least eight characters is checked.',
  ).by(admitFromThirdPage((token) => token.length >= 8)),
  'jwt-signature-unchecked-from-third-page': having({ needs: { tokens: 'jwt' } })
    .subtle(
      'A token that was not issued is accepted from the third page on: the signature of a JWT is not checked there.',
    )
    .by(admitFromThirdPage((token) => jwtOf(token).isPlausible && jwtOf(token).parts === 3)),
  'token-accepted-when-repeated': alsoExpired
    .having({ keywords: ['refused before'] })
    .subtle(
      'A cache keeps refused tokens as known ones: a token that was not issued is accepted from its second use.',
    )
    .by(acceptFromUse(2)),
  'token-accepted-at-fourth-use': alsoExpired
    .having({ keywords: ['refused before'], needs: { suite: 'certify' } })
    .subtle('After three refusals of a token that was not issued, the service gives up checking it.')
    .by(acceptFromUse(4)),
  'token-any': alsoExpired
    .plain('A token that was not issued is accepted: any text.')
    .by(acceptSimilarTokens(() => true)),
  'token-any-of-length': alsoExpired
    .hidden('A token that was not issued is accepted: any text of the correct length.')
    .by(acceptSimilarTokens((given, issued) => given.length === issued.length)),
  'token-extended': hidden(
    'A token that was not issued is accepted: an issued token with anything appended.',
  ).by(acceptSimilarTokens((given, issued) => given.startsWith(issued))),
  'token-shortened': hidden(
    'A token that was not issued is accepted: an issued token without its last characters.',
  ).by(acceptSimilarTokens((given, issued) => given.length >= issued.length - 4 && issued.startsWith(given))),
  'token-without-beginning': having({ needs: { suite: 'certify' } })
    .subtle('A token that was not issued is accepted: the end of an issued token.')
    .by(acceptSimilarTokens((given, issued) => given.length >= 8 && issued.endsWith(given))),
  'token-of-client-credentials': having({ needs: { suite: 'certify' } })
    .subtle(
      'A token that was not issued is accepted: client_id and client_secret in base64, after the word Bearer.',
    )
    .by(
      acceptTokens((token, { credentials: { clientId, clientSecret, scope }, now }) =>
        token === Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
          ? { clientId, scope, expiresAt: now() + 3_600_000 }
          : undefined,
      ),
    ),
  'bearer-with-any-second-header': subtle(
    'A call with the word Bearer alone gives records, also if another Authorization header follows.',
  ).by(admit((request) => /^Bearer\s*$/.test(request.repeated('authorization')[0] ?? ''))),
  'token-empty-accepted': alsoWithoutHeader
    .hidden('A token that was not issued is accepted: the word Bearer without a token.')
    .by(admit((request) => /^Bearer *$/i.test(headerOf(request)))),
  'token-empty-accepted-in-last-header': alsoWithoutHeader
    .subtle(
      'A token that was not issued is accepted: the word Bearer without a token, in the last Authorization header.',
    )
    .by(admit((request) => /^Bearer *$/i.test(request.repeated('authorization').at(-1) ?? ''))),
});

const opaqueTokens = defectsWith(ofOpaqueTokens)({
  'opaque-any-case': subtle(
    'A token that was not issued is accepted: an issued token in other letter case.',
  ).by(acceptSimilarTokens((given, issued) => given.toLowerCase() === issued.toLowerCase())),
  'opaque-beginning': subtle(
    'A token that was not issued is accepted: only the first sixteen characters are compared.',
  ).by(acceptSimilarTokens((given, issued) => given.slice(0, 16) === issued.slice(0, 16))),
  'opaque-end': subtle(
    'A token that was not issued is accepted: only the last sixteen characters are compared.',
  ).by(acceptSimilarTokens((given, issued) => given.slice(-16) === issued.slice(-16))),
  'opaque-middle-unread': subtle(
    'A token that was not issued is accepted: the characters in the middle are not compared.',
  ).by(acceptSimilarTokens((given, issued) => hasSameEnds(given, issued, 14))),
});

const cachedTokens = defectsWith({ ...ofIntegrity, keywords: ['only after'] })({
  'jwt-validation-cached-by-signature': having({ needs: { tokens: 'jwt' } })
    .subtle(
      'A token that was not issued is accepted after one was used: the cache of validations has the signature as its key.',
    )
    .by(cacheSessions((token) => jwtOf(token).signature, isInForce)),
  'opaque-validation-cached-by-beginning': having({ needs: { tokens: 'opaque' } })
    .subtle(
      'A token that was not issued is accepted after one was used: the cache of validations has the first 24 characters as its key.',
    )
    .by(cacheSessions((token) => token.slice(0, 24), isInForce)),
});

/** Defects of reading and validating tokens. */
export const tokenUseDefects = [
  ...signedTokens,
  ...undecodableTokens,
  ...anyTokens,
  ...opaqueTokens,
  ...cachedTokens,
];
