import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { swapCase } from '../core/letter-case.ts';
import { type Jwt, jwtOf } from '../provider/jwt.ts';

/** A key that no provider uses. */
const OUR_HMAC_KEY = 'a key of the test harness';

/** A token that was not issued, made from one that was. */
export interface Forgery {
  /** How it was made, to follow `a token` in a sentence. */
  readonly how: string;
  /** Value of the Authorization header. */
  readonly authorization: string;
  /** The forged token itself; empty where there is none. */
  readonly token: string;
  /** A bash expression that makes it from $TOKEN. */
  readonly shell: string;
}

/**
 * Tokens that a provider must refuse, given one that it issued (5.1). Only parts that carry information are
 * altered: never the last character of a base64url part, whose spare bits decoders ignore.
 */
export function forgeriesOf(token: string, random: string): readonly Forgery[] {
  const jwt = jwtOf(token);
  const forge = (how: string, forged: string, shell: string): Forgery => ({
    how,
    token: forged,
    authorization: `Bearer ${forged}`,
    shell,
  });
  const common = [
    forge('that is a random string', random, `'${random}'`),
    { how: 'that is empty', token: '', authorization: 'Bearer', shell: '' },
    forge('shortened by its last four characters', token.slice(0, -4), '${TOKEN%????}'),
    forge('followed by four more characters', `${token}AAAA`, '${TOKEN}AAAA'),
  ];
  return [...common, ...(jwt === null ? opaqueForgeries(token, forge) : jwtForgeries(jwt, token, forge))];
}

type Forge = (how: string, forged: string, shell: string) => Forgery;

function opaqueForgeries(token: string, forge: Forge): readonly Forgery[] {
  const forged = [
    altered(token, 0, 'in its first character', forge),
    altered(token, Math.floor(token.length / 2), 'in its middle', forge),
    altered(token, Math.max(0, lastInformative(token)), 'near its end', forge),
  ];
  // Only where both cases occur does the case carry information: hexadecimal and base32 come in either.
  if (/[a-z]/.test(token) && /[A-Z]/.test(token)) {
    forged.push(
      forge('with its letters in the other case', swapCase(token), "$(tr 'a-zA-Z' 'A-Za-z' <<<\"$TOKEN\")"),
    );
  }
  return forged;
}

function jwtForgeries(jwt: Jwt, token: string, forge: Forge): readonly Forgery[] {
  const [header, payload, signature] = jwt.parts;
  const start = header.length + payload.length + 2;
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expiry = typeof jwt.payload['exp'] === 'number' ? jwt.payload['exp'] : 4102444800;
  const longer = encoded({ ...jwt.payload, exp: expiry + 86400 });
  const editedHeader = encoded({ ...jwt.header, assay: 1 });
  const without = (algorithm: string): string => `${encoded({ ...jwt.header, alg: algorithm })}.${payload}.`;
  const forged: Forgery[] = [
    forge(
      'with an edited payload and the old signature',
      `${header}.${longer}.${signature}`,
      inShell(`const d=r(p);[h,w({...d,exp:${expiry + 86400}}),s].join(".")`),
    ),
    forge(
      'with an edited header and the old signature',
      `${editedHeader}.${payload}.${signature}`,
      inShell('[w({...r(h),assay:1}),p,s].join(".")'),
    ),
    forge('with a fourth part', `${token}.AAAA`, '${TOKEN}.AAAA'),
    forge('without its signature', `${header}.${payload}.`, '${TOKEN%.*}.'),
    forge(
      'whose header says alg none, without a signature',
      without('none'),
      inShell('w({...r(h),alg:"none"})+"."+p+"."'),
    ),
    forge(
      'whose header says alg None, without a signature',
      without('None'),
      inShell('w({...r(h),alg:"None"})+"."+p+"."'),
    ),
    forge(
      String(jwt.header['alg']).startsWith('HS')
        ? 'signed by a key of ours'
        : 'signed by a key of ours, which its header carries',
      signedByUs(jwt),
      shellSignedByUs(jwt),
    ),
    forge('signed with an empty HMAC key', hmacSigned(jwt, ''), shellHmacSigned('')),
  ];
  if (signature.length >= 8) {
    const late = lastInformative(signature);
    for (const [position, where] of [
      [0, 'at the start of its signature'],
      [Math.floor(signature.length / 2), 'in the middle of its signature'],
      [late, 'near the end of its signature'],
    ] as const) {
      forged.push(altered(token, start + position, where, forge));
    }
  }
  return forged;
}

// The last character of base64 may hold spare bits: the one before it always carries six.
function lastInformative(text: string): number {
  return text.replace(/=+$/, '').length - 2;
}

/**
 * Alters one character at that place, or the nearest one before it (or else after it) that carries information. The
 * replacement comes from the token itself, so that the forgery keeps its alphabet and is not refused for that.
 */
function altered(token: string, place: number, where: string, forge: Forge): Forgery {
  const places = Array.from(token, (_letter, index) => index);
  const nearest = [...places.slice(0, place + 1).reverse(), ...places.slice(place + 1)];
  for (const index of nearest) {
    const replacement = replacementAt(token, index);
    if (replacement === null) continue;
    const forged = token.slice(0, index) + replacement + token.slice(index + 1);
    return forge(`altered ${where}`, forged, `\${TOKEN:0:${index}}${replacement}\${TOKEN:${index + 1}}`);
  }
  return forge(`altered ${where}`, `A${token.slice(1)}`, 'A${TOKEN:1}');
}

const ENCODED = /[A-Za-z0-9+/_-]/;

/** A character of the token that changes the bytes that the part around that place stands for; null where none does. */
function replacementAt(token: string, index: number): string | null {
  const old = token[index] ?? '';
  if (!ENCODED.test(old)) return null;
  const from = index - (/[A-Za-z0-9+/_-]*$/.exec(token.slice(0, index))?.[0].length ?? 0);
  const part = /^[A-Za-z0-9+/_-]*/.exec(token.slice(from))?.[0] ?? '';
  const bytes = Buffer.from(part, 'base64url');
  const changes = (letter: string): boolean =>
    !bytes.equals(
      Buffer.from(part.slice(0, index - from) + letter + part.slice(index - from + 1), 'base64url'),
    );
  const others = [...new Set(token)].filter(
    (letter) => /[A-Za-z0-9_-]/.test(letter) && letter.toLowerCase() !== old.toLowerCase(),
  );
  return others.find(changes) ?? null;
}

// The same forgery for a reader's shell, who has Node since this runs on it: h, p and s are the parts of $TOKEN.
function inShell(script: string): string {
  const prelude =
    'const [h,p,s]=process.argv[1].split("."),r=t=>JSON.parse(Buffer.from(t,"base64url")),w=v=>Buffer.from(JSON.stringify(v)).toString("base64url"),c=require("crypto");';
  return `$(node -pe '${prelude}${script}' "$TOKEN")`;
}

function shellSignedByUs(jwt: Jwt): string {
  const algorithm = String(jwt.header['alg']);
  if (algorithm.startsWith('HS')) return shellHmacSigned(OUR_HMAC_KEY);
  const elliptic = algorithm === 'ES256';
  const key = elliptic ? '"ec",{namedCurve:"P-256"}' : '"rsa",{modulusLength:2048}';
  const how = elliptic ? '{key:k,dsaEncoding:"ieee-p1363"}' : 'k';
  return inShell(
    `const k=c.generateKeyPairSync(${key}).privateKey,t=w({...r(h),alg:"${elliptic ? 'ES256' : 'RS256'}",kid:"assay",jwk:c.createPublicKey(k).export({format:"jwk"})})+"."+p;t+"."+c.sign("sha256",t,${how}).toString("base64url")`,
  );
}

function shellHmacSigned(key: string): string {
  return inShell(
    `const t=w({...r(h),alg:"HS256"})+"."+p;t+"."+c.createHmac("sha256","${key}").update(t).digest("base64url")`,
  );
}

let rsaKey: KeyObject | null = null;

// Making an RSA key takes a tenth of a second: one serves the process.
function ourRsaKey(): KeyObject {
  rsaKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return rsaKey;
}

// Its header names our key and carries it: some look no further for what to verify with.
function signedByUs(jwt: Jwt): string {
  const algorithm = String(jwt.header['alg']);
  if (algorithm.startsWith('HS')) return hmacSigned(jwt, OUR_HMAC_KEY);
  const elliptic = algorithm === 'ES256';
  const privateKey = elliptic ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : ourRsaKey();
  const header = {
    ...jwt.header,
    alg: elliptic ? 'ES256' : 'RS256',
    kid: 'assay',
    jwk: createPublicKey(privateKey).export({ format: 'jwk' }),
  };
  const text = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${jwt.parts[1]}`;
  const signature = sign(
    'sha256',
    Buffer.from(text),
    elliptic ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey,
  );
  return `${text}.${signature.toString('base64url')}`;
}

function hmacSigned(jwt: Jwt, key: string): string {
  const text = `${Buffer.from(JSON.stringify({ ...jwt.header, alg: 'HS256' })).toString('base64url')}.${jwt.parts[1]}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
