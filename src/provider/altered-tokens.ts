import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Jwt, jwtOf } from '../core/jwt.ts';
import { Memo } from '../core/memo.ts';
import { swapCase, withoutTrailing } from '../core/text.ts';
import {
  alterationAt,
  type LastPart,
  lastPartOf,
  opaquePlaces,
  signaturePlaces,
} from '../core/token-alteration.ts';
import { alteredJwt, encoded, inShell, isOfSecretKey, type JwtChanges } from './altered-jwt.ts';

/** A key that no provider uses. */
const OUR_HMAC_KEY = 'a key of the test harness';

/** A token that was not issued, made from one that was. */
export interface AlteredToken {
  /** How it was made, to follow `a token` in a sentence. */
  readonly how: string;
  /** Value of the Authorization header. */
  readonly authorization: string;
  /** The token itself; empty if there is none. */
  readonly token: string;
  /** A bash expression that makes it from $TOKEN. */
  readonly shell: string;
  /** Whether it contains parts of the issued token, which outputs must not show. */
  readonly isSecret: boolean;
}

/**
 * Tokens that a provider must refuse, given one that it issued (5.1). Only what carries information is altered: never
 * the spare bits of the last character, which decoders ignore.
 */
export function alteredTokens(token: string, random: string): readonly AlteredToken[] {
  const jwt = jwtOf(token);
  // As long as an issued token: a provider may compare the length only.
  const unrelated =
    jwt === null
      ? random.repeat(Math.ceil(token.length / random.length)).slice(0, Math.max(8, token.length))
      : random;
  const invented = [
    unrelatedToken('that is a random string', unrelated),
    { ...unrelatedToken('that is empty', '', ''), authorization: 'Bearer' },
  ];
  const otherLengths = [
    shortened(token, 1 + (random.charCodeAt(0) % 4)),
    continued(token, furtherPart(token) ?? drawn(CONTINUATIONS, random, 1)),
    continued(token, drawn(SEPARATED, random, 2)),
    ...(jwt === null ? [] : [withoutThirdPart(jwt)]),
  ];
  // The first one that is accepted is reported: an edited payload says more than a shortened signature.
  return jwt === null
    ? [...invented, ...otherLengths, ...alteredOpaqueTokens(token)]
    : [...invented, ...alteredJwts(jwt, token, random), undecodable(random), ...otherLengths];
}

/** Characters of a part that is not JSON: a multiple of four, so that no decoder of base64url refuses the part. */
const UNDECODABLE_LENGTH = 20;

/**
 * Three parts like a JWT, none of which is JSON: a verifier may take the error of its decoder for a match. They are base64url,
 * and what these names decode to begins with a byte that no JSON contains.
 */
function undecodable(random: string): AlteredToken {
  const parts = ['header', 'payload', 'signature'].map((name) =>
    `${name}${random}`.padEnd(UNDECODABLE_LENGTH, '0').slice(0, UNDECODABLE_LENGTH),
  );
  return unrelatedToken('of three parts that are not JSON', parts.join('.'));
}

/**
 * A part that is not JSON. It begins unlike the parts of {@link undecodable}: the redactor would take a token that begins like a
 * secret for an altered copy of it.
 */
const NO_JSON = 'x'.repeat(UNDECODABLE_LENGTH);

/** JWTs with one part that is not JSON, and the others as issued. */
export function partlyUndecodableTokens(jwt: Jwt): readonly AlteredToken[] {
  const [header, payload, signature] = jwt.parts;
  return [
    alter('whose header is not JSON', `${NO_JSON}.${payload}.${signature}`, `${NO_JSON}.\${TOKEN#*.}`),
    alter(
      'whose payload is not JSON',
      `${header}.${NO_JSON}.${signature}`,
      `\${TOKEN%%.*}.${NO_JSON}.\${TOKEN##*.}`,
    ),
  ];
}

/** A JWT of two parts. What compares only as much of a token as it is given accepts it, too. */
function withoutThirdPart({ parts: [header, payload] }: Jwt): AlteredToken {
  return alter('without its third part', `${header}.${payload}`, '${TOKEN%.*}');
}

/** The token without its last characters: so many that carry information. */
function shortened(token: string, characters: number): AlteredToken {
  const padding = token.length - withoutTrailing(token, '=').length;
  const length = Math.min(characters + padding, token.length - 1);
  const end = length === 1 ? 'character' : `${length} characters`;
  // A token of one character is left as it is, and not sent.
  const kept = token.slice(0, token.length - length);
  return alter(`shortened by its last ${end}`, kept, `\${TOKEN%${'?'.repeat(length)}}`);
}

/** A part for the end of a token of several parts, of which a reader may ignore the further ones; null for other tokens. */
function furtherPart(token: string): string | null {
  const separator = jwtOf(token) === null ? lastPartOf(token)?.separator : '.';
  return separator === undefined ? null : `${separator}assay`;
}

/** What may follow a token: a store may compare a prefix only, or end the token at a full stop. */
const CONTINUATIONS = ['AAAA', '.assay'];
/** What may follow any token: a reader of the header may end it at a character that no token contains. */
const SEPARATED = [',assay', ';assay'];

function drawn(ends: readonly string[], random: string, place: number): string {
  return ends[random.charCodeAt(place) % ends.length] ?? '';
}

function continued(token: string, end: string): AlteredToken {
  return alter(`followed by ${end}`, token + end, `\${TOKEN}${end}`);
}

/** A token followed by anything, and behind letters. */
export function continuedTokens(token: string): readonly AlteredToken[] {
  return [
    ...[...CONTINUATIONS, ...SEPARATED].map((end) => continued(token, end)),
    alter('behind AAAA', `AAAA${token}`, 'AAAA$TOKEN'),
  ];
}

/** A token that contains parts of the issued one. */
export function alter(how: string, altered: string, shell: string): AlteredToken {
  return { how, token: altered, authorization: `Bearer ${altered}`, shell, isSecret: true };
}

/** A token that contains nothing of the issued one. */
export function unrelatedToken(how: string, token: string, shell = `'${token}'`): AlteredToken {
  return { ...alter(how, token, shell), isSecret: false };
}

function alteredOpaqueTokens(token: string): readonly AlteredToken[] {
  const [first, middle, last] = opaquePlaces(token);
  const part = lastPartOf(token);
  const tokens = [
    alteredAt(token, first, 'in its first character'),
    alteredAt(token, middle, part === null ? 'in its middle' : 'in the middle of its last part'),
    alteredAt(token, last, 'at its end'),
    ...(part === null ? [] : tokensOfOtherLastPart(token, part)),
  ];
  // Letter case carries information only if both cases occur: hexadecimal and base32 text may be in either.
  if (/[a-z]/.test(token) && /[A-Z]/.test(token)) {
    tokens.push(
      alter('with its letters in the other case', swapCase(token), "$(tr 'a-zA-Z' 'A-Za-z' <<<\"$TOKEN\")"),
    );
  }
  return tokens;
}

/** Characters that are left of a last part: whole bytes of base64 and of hexadecimal text. */
const LEFT_OF_LAST_PART = 4;

/** A token of several parts without its last one, with an empty one, and with the beginning of it. */
function tokensOfOtherLastPart(token: string, { separator, start }: LastPart): readonly AlteredToken[] {
  const others = `\${TOKEN%${separator}*}`;
  const end = start + LEFT_OF_LAST_PART;
  return [
    alter('without its last part', token.slice(0, start - separator.length), others),
    alter('whose last part is empty', token.slice(0, start), others + separator),
    alter('with the first characters of its last part', token.slice(0, end), `\${TOKEN:0:${end}}`),
  ];
}

/** An opaque token followed by what tokens may contain (RFC 6750, 2.1), or by what a decoder may ignore after its padding. */
export function punctuatedTokens(token: string): readonly AlteredToken[] {
  if (jwtOf(token) !== null) return [];
  return ['.', '~', '=x'].map((end) => continued(token, end));
}

export function alterJwt(jwt: Jwt, how: string, changes: JwtChanges): AlteredToken {
  const { token, shell } = alteredJwt(jwt, changes);
  return alter(how, token, shell);
}

/**
 * @param alg what its header says; undefined for no alg
 * @param isOfNoKey whether the header names no key either
 */
export function withoutSignature(jwt: Jwt, alg: string | undefined, isOfNoKey = false): AlteredToken {
  const losesKey = isOfNoKey && 'kid' in jwt.header;
  const key = losesKey ? ' and names no key' : '';
  const how = `whose header says ${alg === undefined ? 'no alg' : `alg ${alg}`}${key}, without a signature`;
  return alterJwt(jwt, how, { header: { alg, ...(losesKey ? { kid: undefined } : {}) }, signature: '' });
}

export const EMPTY_KEY = { text: '' };

export function signedWithEmptyKey(jwt: Jwt): AlteredToken {
  return alterJwt(jwt, 'signed with an empty HMAC key', { signature: EMPTY_KEY });
}

function alteredJwts(jwt: Jwt, token: string, random: string): readonly AlteredToken[] {
  const [header, payload, signature] = jwt.parts;
  const start = header.length + payload.length + 2;
  const expiry = typeof jwt.payload['exp'] === 'number' ? jwt.payload['exp'] : 4102444800;
  const isSymmetric = isOfSecretKey(jwt);
  const isFirstOfNoKey = random.charCodeAt(3) % 2 === 0;
  const tokens: AlteredToken[] = [
    alterJwt(jwt, 'with an edited payload and the old signature', { payload: { exp: expiry + 86400 } }),
    // Not its kid or alg: without a known key it would be refused unread.
    alterJwt(jwt, 'with a member added to its header, and the old signature', { header: { assay: true } }),
    alter('without its signature', `${header}.${payload}.`, '${TOKEN%.*}.'),
    // A verifier that refuses `none` may compare the name with letter case; one may take any alg if no key is named.
    withoutSignature(jwt, 'none', isFirstOfNoKey),
    withoutSignature(jwt, 'None', !isFirstOfNoKey),
    ...(isSymmetric
      ? [
          alterJwt(jwt, 'signed by a key of ours, which its header carries', {
            header: { jwk: { kty: 'oct', k: Buffer.from(OUR_HMAC_KEY).toString('base64url') } },
            signature: { text: OUR_HMAC_KEY },
          }),
          signedWithEmptyKey(jwt),
        ]
      : [signedByUs(jwt, 'signed by a key of ours, which its header carries')]),
  ];
  // Text in one case only may be hexadecimal, where case has no meaning.
  if (/[a-z]/.test(signature) && /[A-Z]/.test(signature)) {
    const swapped = `${header}.${payload}.${swapCase(signature)}`;
    const shell = '${TOKEN%.*}.$(tr "a-zA-Z" "A-Za-z" <<<"${TOKEN##*.}")';
    tokens.push(alter('whose signature has its letters in the other case', swapped, shell));
  }
  if (signature.length >= SHORTEST_ALTERED)
    tokens.push(alteredAt(token, start + signaturePlaces(signature)[1], 'in the middle of its signature'));
  return tokens;
}

/** Characters of the shortest signature in which single ones are altered. */
const SHORTEST_ALTERED = 8;

/** The token altered at the two ends of its signature: what compares all of it refuses what differs in its middle. */
export function tokensAlteredAtEnds(jwt: Jwt, token: string): readonly AlteredToken[] {
  const [header, payload, signature] = jwt.parts;
  const start = header.length + payload.length + 2;
  if (signature.length < SHORTEST_ALTERED) return [];
  const [first, , nearEnd] = signaturePlaces(signature);
  return [
    alteredAt(token, start + first, 'at the start of its signature'),
    alteredAt(token, start + nearEnd, 'near the end of its signature'),
  ];
}

/** The token with one character altered at that index, or the nearest one that carries information. */
function alteredAt(token: string, place: number, where: string): AlteredToken {
  const { index, letter } = alterationAt(token, place) ?? { index: 0, letter: 'A' };
  const changed = token.slice(0, index) + letter + token.slice(index + 1);
  return alter(`altered ${where}`, changed, `\${TOKEN:0:${index}}${letter}\${TOKEN:${index + 1}}`);
}

// Generating an RSA key takes 0.1 s, so the process keeps one key of each kind.
const keys = new Memo();

// Encoded and read again. Exporting a generated key can hang the process: Node.js locks the key, and if the garbage
// collector meanwhile removes the job that generated it, both wait for the same lock.
const PUBLIC = { type: 'spki', format: 'pem' } as const;
const PRIVATE = { type: 'pkcs8', format: 'pem' } as const;

function ourEllipticKey(): KeyObject {
  const options = { namedCurve: 'P-256', publicKeyEncoding: PUBLIC, privateKeyEncoding: PRIVATE };
  return createPrivateKey(generateKeyPairSync('ec', options).privateKey);
}

function ourRsaKey(): KeyObject {
  const options = { modulusLength: 2048, publicKeyEncoding: PUBLIC, privateKeyEncoding: PRIVATE };
  return createPrivateKey(generateKeyPairSync('rsa', options).privateKey);
}

// Its header carries our key: some verifiers use the key that the token brings.
function signedByUs(jwt: Jwt, how: string): AlteredToken {
  const elliptic = jwt.header['alg'] === 'ES256';
  const alg = elliptic ? 'ES256' : 'RS256';
  const privateKey = keys.once(elliptic ? ourEllipticKey : ourRsaKey);
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const text = `${encoded({ ...jwt.header, alg, kid: 'assay', jwk })}.${jwt.parts[1]}`;
  const signature = sign(
    'sha256',
    Buffer.from(text),
    elliptic ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey,
  );
  const key = elliptic ? '"ec",{namedCurve:"P-256"}' : '"rsa",{modulusLength:2048}';
  const shell = inShell(
    `const k=c.generateKeyPairSync(${key}).privateKey,t=w({...r(h),alg:"${alg}",` +
      'kid:"assay",jwk:c.createPublicKey(k).export({format:"jwk"})})+"."+p;' +
      `t+"."+c.sign("sha256",t,${elliptic ? '{key:k,dsaEncoding:"ieee-p1363"}' : 'k'}).toString("base64url")`,
  );
  return alter(how, `${text}.${signature.toString('base64url')}`, shell);
}
