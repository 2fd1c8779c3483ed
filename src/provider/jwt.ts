import type { Json } from '../core/results.ts';
import { isObject } from './json-reader.ts';

/** A JSON Web Token taken apart; nothing of it is verified. */
export interface Jwt {
  readonly header: { readonly [name: string]: Json };
  readonly payload: { readonly [name: string]: Json };
  /** The three parts as they stand in the token. */
  readonly parts: readonly [header: string, payload: string, signature: string];
}

/** Decodes a signed JWT without verifying it; null for any other token. */
export function jwtOf(token: string): Jwt | null {
  const [first, second, third, ...more] = token.split('.');
  if (first === undefined || second === undefined || third === undefined || more.length > 0) return null;
  const header = decode(first);
  const payload = decode(second);
  return header !== null && payload !== null && typeof header['alg'] === 'string'
    ? { header, payload, parts: [first, second, third] }
    : null;
}

function decode(part: string): { readonly [name: string]: Json } | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
