import { createHmac } from 'node:crypto';
import type { Jwt } from '../core/jwt.ts';
import type { Json } from '../core/results.ts';

/** The value of a member that is the signature of the issued token, so that it differs from token to token. */
export const OLD_SIGNATURE = Symbol('the signature of the issued token');

/** Members that are added or replaced; undefined removes one. */
type Members = { readonly [name: string]: Json | typeof OLD_SIGNATURE | undefined };

/** A key of HMAC, and how a script writes it. */
export interface HmacKey {
  readonly text: string;
  /** An expression; the text itself if left out. */
  readonly expression?: string;
  /** Further arguments of the script, the first of which is process.argv[2]. */
  readonly arguments?: string;
}

/** How a JWT differs from the issued one. A part that is left out stays as it is. */
export interface JwtChanges {
  readonly header?: Members;
  readonly payload?: Members;
  /** What follows as the signature, or the key that makes it; then the header names the algorithm. Null for no third part. */
  readonly signature?: string | HmacKey | null | undefined;
}

/**
 * An altered JWT, with a bash expression that makes it from $TOKEN: it makes the same edits, and holds nothing of the issued
 * token.
 */
export function alteredJwt(
  jwt: Jwt,
  { header, payload, signature }: JwtChanges,
): { readonly token: string; readonly shell: string } {
  const key = typeof signature === 'object' ? signature : null;
  const edits = [key === null ? header : { ...header, alg: hmacOf(jwt) }, payload];
  const parts = edits.map((members, place) => {
    const part = 'hp'[place];
    if (members === undefined) return { text: jwt.parts[place], script: part };
    const edited = Object.entries(members);
    const values = edited.map(([name, value]) => [name, value === OLD_SIGNATURE ? jwt.parts[2] : value]);
    const literals = edited.map(
      ([name, value]) => `${name}:${value === OLD_SIGNATURE ? 's' : JSON.stringify(value)}`,
    );
    const issued = place === 0 ? jwt.header : jwt.payload;
    return {
      text: encoded({ ...issued, ...Object.fromEntries(values) }),
      script: `w({...r(${part}),${literals.join(',')}})`,
    };
  });
  const text = parts.map((part) => part.text).join('.');
  const script = parts.map((part) => part.script).join('+"."+');
  if (signature === null) return { token: text, shell: inShell(script) };
  if (key === null)
    return {
      token: `${text}.${signature ?? jwt.parts[2]}`,
      shell: inShell(`${script}+"."+${signature === undefined ? 's' : JSON.stringify(signature)}`),
    };
  const { expression = JSON.stringify(key.text) } = key;
  return {
    token: `${text}.${hmac(jwt, key.text, text)}`,
    shell: inShell(
      `const t=${script};t+"."+c.createHmac("${digestOf(jwt)}",${expression}).update(t).digest("base64url")`,
      key.arguments,
    ),
  };
}

/** Whether the header of a JWT names a signature by a secret key, as HS256 is. */
export function isOfSecretKey(jwt: Jwt): boolean {
  return String(jwt.header['alg']).startsWith('HS');
}

export function isHmacSigned(jwt: Jwt, key: string): boolean {
  const [header, payload, signature] = jwt.parts;
  return String(jwt.header['alg']) === hmacOf(jwt) && hmac(jwt, key, `${header}.${payload}`) === signature;
}

export function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A shell command that uses Node: h, p and s are the parts of $TOKEN, r reads one, and w writes one. */
export function inShell(script: string, further = ''): string {
  const prelude =
    'const [h,p,s]=process.argv[1].split("."),r=t=>JSON.parse(Buffer.from(t,"base64url")),' +
    'w=v=>Buffer.from(JSON.stringify(v)).toString("base64url"),c=require("crypto");';
  return `$(node -pe '${prelude}${script}' "$TOKEN"${further})`;
}

function hmac(jwt: Jwt, key: string, text: string): string {
  return createHmac(digestOf(jwt), key).update(text).digest('base64url');
}

/** The algorithm that the token's own header names if it is one of HMAC. */
function hmacOf({ header }: Jwt): string {
  return /^HS(?:256|384|512)$/.exec(String(header['alg']))?.[0] ?? 'HS256';
}

function digestOf(jwt: Jwt): string {
  return `sha${hmacOf(jwt).slice(2)}`;
}
