import { type Jwt, jwtOf } from '../core/jwt.ts';
import type { Credentials } from '../target/target.ts';
import { encoded, type HmacKey, isHmacSigned, isOfSecretKey, OLD_SIGNATURE } from './altered-jwt.ts';
import {
  type AlteredToken,
  alter,
  alterJwt,
  continuedTokens,
  EMPTY_KEY,
  partlyUndecodableTokens,
  signedWithEmptyKey,
  tokensAlteredAtEnds,
  unrelatedToken,
  withoutSignature,
} from './altered-tokens.ts';
import { basicPair } from './misplaced-tokens.ts';

/** Texts that a stub accepts. */
const RARE_WORDS = ['undefined', 'test'];

/** Longer than session stores expect, short enough for a header, and similar to no secret. */
const LONG_TOKEN = 'assay-'.repeat(500);

/** Keys that examples and tutorials sign with. */
const GUESSABLE_KEYS = ['secret', 'your-256-bit-secret', 'password', 'changeme', 'key', '123456'];

function asHeader(text: string): string {
  return /^[!-~]+$/.test(text) ? text : encodeURIComponent(text);
}

/** Tokens that a provider must refuse, too many for every run. */
interface FurtherProbes {
  readonly further: readonly AlteredToken[];
  /** Tokens that few providers accept. */
  readonly rare: readonly AlteredToken[];
}

/**
 * Further tokens that a provider must refuse. A JWT signed with a key that anybody can guess, or that the client knows,
 * is one that was not issued: its payload differs from that of the issued one.
 */
export function furtherTokenProbes(token: string, { clientId, clientSecret }: Credentials): FurtherProbes {
  const jwt = jwtOf(token);
  const wordOf = (word: string): AlteredToken => unrelatedToken(`that is the word ${word}`, word);
  const common = [
    { ...unrelatedToken('that is empty, in an empty Authorization header', '', ''), authorization: '' },
    // A program that stores no token may send this text instead.
    wordOf('null'),
    // Patterns, for stores that match tokens by pattern; and a member of every JavaScript object, for stores that use
    // one as a map.
    unrelatedToken('that is %', '%'),
    unrelatedToken('that is *', '*'),
    wordOf('constructor'),
    alter('followed by a blank and a word', `${token} x`, '$TOKEN x'),
    // Too long a key for some stores; a provider may take their error for a match.
    unrelatedToken(`of ${LONG_TOKEN.length} characters`, LONG_TOKEN),
    alter('after a word and a blank', `x ${token}`, 'x $TOKEN'),
    unrelatedToken('that is the client_secret', asHeader(clientSecret), '$CLIENT_SECRET'),
  ];
  const rare = [
    unrelatedToken('that is the client_id', asHeader(clientId)),
    unrelatedToken('that is client_id and client_secret, in base64', basicPair(clientId, clientSecret)),
    // For stores that compare the end of a token.
    ...(token.length > 1 ? [alter('without its first character', token.slice(1), '${TOKEN#?}')] : []),
    ...RARE_WORDS.map(wordOf),
  ];
  if (jwt === null)
    return {
      further: [
        ...madeUpJwts(clientId),
        // For stores in which _ stands for any character.
        unrelatedToken('of as many _ as the issued one has characters', '_'.repeat(token.length)),
        ...common,
      ],
      rare: [...rare, unrelatedToken('that is a UUID', UUID), ...continuedTokens(token)],
    };
  const withEmptyKey = (how: string, kid: string | undefined): AlteredToken =>
    alterJwt(jwt, `${how}, signed with an empty key`, { header: { kid }, signature: EMPTY_KEY });
  const jwts = [
    ...(isOfEllipticCurve(jwt) ? [signedWithEmptyKey(jwt)] : []),
    // Not with a full stop after it: libraries that ignore an empty fourth part verify all others.
    alterJwt(jwt, 'with an added claim and the old signature', { payload: { assay: true } }),
    alterJwt(jwt, 'of another issuer, with the old signature', { payload: { iss: 'https://assay.example' } }),
    ...(isOfEllipticCurve(jwt) ? [] : [signedWithZeros(jwt, 'ES256')]),
    withEmptyKey('whose header names an unknown key', 'assay'),
    withEmptyKey('whose header names an empty file as its key', NO_KEY_FILE),
    withoutSignature(jwt, undefined),
    alterJwt(jwt, 'whose header says alg none, with the old signature', { header: { alg: 'none' } }),
    withoutSignature(jwt, 'NONE'),
    // A verifier may check only the algorithms that it knows.
    alterJwt(jwt, 'whose header says another alg, with the old signature', {
      header: { alg: otherAlgorithm(jwt) },
    }),
    ...partlyUndecodableTokens(jwt),
    ...continuedTokens(token),
  ];
  const isOfNamedKey = 'kid' in jwt.header;
  if (isOfNamedKey) jwts.push(alterJwt(jwt, 'whose header names no key', { header: { kid: undefined } }));
  const rareJwts = [
    ...[clientId, ...GUESSABLE_KEYS].map((key) => signedWithGuess(jwt, key)),
    alterJwt(jwt, 'whose header says alg none, without a third part', {
      header: { alg: 'none' },
      signature: null,
    }),
    ...(isOfNamedKey ? [withEmptyKey('whose header names no key', undefined)] : []),
    ...(isOfSecretKey(jwt) ? [] : [signedWithClientSecret(jwt, clientSecret)]),
    unrelatedToken('of five parts, as an encrypted one', ENCRYPTED_TOKEN),
  ];
  return {
    further: inTurn([...tokensAlteredAtEnds(jwt, token), ...jwts], common),
    rare: [...rare, ...rareJwts],
  };
}

/** JWTs for a provider that issues opaque tokens: its list may take any JWT for one of another issuer. */
function madeUpJwts(clientId: string): readonly AlteredToken[] {
  const payload = {
    sub: clientId,
    client_id: clientId,
    scope: 'read',
    iat: 1_700_000_000,
    exp: 4_102_444_800,
  };
  // Few tokens begin with cty: a text that begins like a token of another target would count as an altered copy of it.
  const made = (alg: string, signature: string): string =>
    `${[{ cty: 'json', alg, typ: 'JWT' }, payload].map(encoded).join('.')}.${signature}`;
  return [
    unrelatedToken('that is a made-up JWT with a made-up signature', made('HS256', MADE_UP_SIGNATURE)),
    unrelatedToken('that is a made-up JWT whose header says alg none', made('none', '')),
  ];
}

/**
 * The likeliest forgeries of a JWT by its algorithm; none if the token is no JWT. For one with a secret key these are JWTs with
 * another payload, signed with the client_secret, which the client knows, and with the key of the token if anybody can guess it.
 * For one of an elliptic curve it is a signature of zeros, and for another one a signature with an empty secret key.
 */
export function likelyForgeries(
  token: string,
  { clientId, clientSecret }: Credentials,
): readonly AlteredToken[] {
  const jwt = jwtOf(token);
  if (jwt === null) return [];
  if (isOfEllipticCurve(jwt)) return [signedWithZeros(jwt, String(jwt.header['alg']))];
  if (!isOfSecretKey(jwt)) return [signedWithEmptyKey(jwt)];
  const guessed = [clientId, ...GUESSABLE_KEYS].find((key) => isHmacSigned(jwt, key));
  return [
    signedWithClientSecret(jwt, clientSecret),
    ...(guessed === undefined ? [] : [signedWithGuess(jwt, guessed)]),
  ];
}

function isOfEllipticCurve({ header }: Jwt): boolean {
  return SIGNATURE_BYTES.has(String(header['alg']));
}

/** Bytes of the signatures by elliptic curves (RFC 7518, 3.4). */
const SIGNATURE_BYTES: ReadonlyMap<string, number> = new Map([
  ['ES256', 64],
  ['ES384', 96],
  ['ES512', 132],
]);

/** Zeros satisfy the equation of a signature for any text and key if a verifier does not exclude them. */
function signedWithZeros(jwt: Jwt, alg: string): AlteredToken {
  return alterJwt(jwt, `whose header says ${alg}, with a signature of zeros`, {
    header: { alg },
    signature: Buffer.alloc(SIGNATURE_BYTES.get(alg) ?? 0).toString('base64url'),
  });
}

function signedWithClientSecret(jwt: Jwt, clientSecret: string): AlteredToken {
  return signedByClient(jwt, 'with an edited payload, signed with the client_secret as its key', {
    text: clientSecret,
    expression: 'process.argv[2]',
    arguments: ' "$CLIENT_SECRET"',
  });
}

/** An algorithm that exists, and that the token does not have. */
function otherAlgorithm({ header }: Jwt): string {
  return header['alg'] === 'HS512' ? 'ES384' : 'HS512';
}

function signedWithGuess(jwt: Jwt, key: string): AlteredToken {
  return signedByClient(jwt, `with an edited payload, signed with the key ${key}`, { text: key });
}

/** A token with a further claim, which differs from token to token, also in a replay. */
function signedByClient(jwt: Jwt, how: string, key: HmacKey): AlteredToken {
  return alterJwt(jwt, how, { payload: { assay: OLD_SIGNATURE }, signature: key });
}

/** Items of both lists in turn, so that each share has some of both. */
function inTurn<Item>(some: readonly Item[], others: readonly Item[]): readonly Item[] {
  const longest = Math.max(some.length, others.length);
  return Array.from({ length: longest }, (_none, index) => [some[index], others[index]])
    .flat()
    .filter((one) => one !== undefined);
}

/** A token in the form of an encrypted one (RFC 7516, 3.1), which nobody can decrypt. */
const ENCRYPTED_TOKEN = [
  encoded({ cty: 'JWT', alg: 'dir', enc: 'A128GCM' }),
  '',
  ...['assay-assay-', 'assay-assay-assay-assay-', 'assay-assay-assa'].map((text) =>
    Buffer.from(text).toString('base64url'),
  ),
].join('.');

/** A UUID that no provider issues. */
const UUID = '6f1c2f6e-3d5a-4b7e-9a61-0c7d5e2f4b18';

/** A signature of 256 bits; no zeros, which end an altered token of another target. */
const MADE_UP_SIGNATURE = Buffer.alloc(32, 'assay').toString('base64url');

/** A path to an empty file from any working folder. */
const NO_KEY_FILE = '../../../../../../dev/null';
