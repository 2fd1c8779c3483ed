import { Buffer } from 'node:buffer';
import { isJsonObject, parsedJson } from './json-text.ts';
import type { Json } from './results.ts';

/** A JSON Web Token taken apart; nothing of it is verified. */
export interface Jwt {
  readonly header: { readonly [name: string]: Json };
  readonly payload: { readonly [name: string]: Json };
  /** The three parts, as in the token. */
  readonly parts: readonly [header: string, payload: string, signature: string];
}

/** Decodes a signed JWT without verifying it; null for any other token. */
export function jwtOf(token: string): Jwt | null {
  const [first, second, third, ...more] = token.split('.');
  if (first === undefined || second === undefined || third === undefined || more.length > 0) return null;
  const [header, payload] = [first, second].map((part) =>
    parsedJson(Buffer.from(part, 'base64url').toString('utf8')),
  );
  return isJsonObject(header) && isJsonObject(payload) && typeof header['alg'] === 'string'
    ? { header, payload, parts: [first, second, third] }
    : null;
}
