import { isBearerToken } from '../core/bearer-token.ts';
import { type Jwt, jwtOf } from '../core/jwt.ts';
import type { CallOptions } from './sender.ts';

const EXPIRED_TOKEN = 'the expired token of the target file';

/** The latest time that a Date can represent, in milliseconds since the epoch. */
const LATEST_MS = 8.64e15;

/** Why the expired token of a target file has not expired, by its own expiry; null if it has, or states none. */
export function whyNotExpired(token: string, toleranceSeconds: number, nowMs: number): string | null {
  const expiry = jwtOf(token)?.payload['exp'];
  if (typeof expiry !== 'number' || nowMs / 1000 >= expiry + toleranceSeconds) return null;
  const at = new Date(Math.min(expiry * 1000, LATEST_MS)).toISOString();
  return `${EXPIRED_TOKEN} expires at ${at}, and the tolerance after that is not over`;
}

/**
 * Why a token may not be one that this provider issued for its lists, as it stands: then its refusal shows nothing. Null
 * if it may be.
 */
export function differenceFromTokens(expired: string, issued: readonly string[]): string | null {
  if (issued.includes(expired)) return `the provider issues ${EXPIRED_TOKEN} now, so it has not expired`;
  const [then, now] = [jwtOf(expired), jwtOf(issued.at(-1) ?? '')];
  if (!isBearerToken(expired) && issued.every(isBearerToken))
    return `${EXPIRED_TOKEN} has characters that no token of the provider has: give it without Bearer, blanks and quotation marks`;
  if (now !== null && then === null) return `the provider issues JWTs, and ${EXPIRED_TOKEN} is not a JWT`;
  if (now !== null && then !== null) {
    const part = differentPart(then, now);
    return part === null ? null : `${EXPIRED_TOKEN} has ${part} than the tokens that the provider issues now`;
  }
  return mayBeOfOneForm(expired, issued)
    ? null
    : `${EXPIRED_TOKEN} does not look like the tokens that the provider issues now: its length or its parts differ`;
}

/** What differs of two JWTs that a provider writes alike in all its access tokens; null if nothing does. */
function differentPart(one: Jwt, other: Jwt): string | null {
  const differs = (part: 'header' | 'payload', name: string): boolean =>
    JSON.stringify(one[part][name]) !== JSON.stringify(other[part][name]);
  if (differs('payload', 'iss')) return 'another issuer (iss)';
  if (differs('payload', 'aud')) return 'another audience (aud)';
  if (differs('header', 'typ')) return 'another type (typ)';
  if (differs('header', 'alg')) return 'another algorithm (alg)';
  return one.parts[2].length === other.parts[2].length ? null : 'a signature of another length';
}

/**
 * Whether a token that is no JWT may be of the same provider: as many parts, and as long as others if all have one length,
 * or else at most a third longer or shorter.
 */
function mayBeOfOneForm(one: string, others: readonly string[]): boolean {
  const partsOf = (token: string): number => token.split('.').length;
  const parts = new Set(others.map(partsOf));
  if (parts.size === 1 && !parts.has(partsOf(one))) return false;
  const distinct = [...new Set(others)];
  const lengths = new Set(distinct.map(({ length }) => length));
  if (distinct.length > 1 && lengths.size === 1) return lengths.has(one.length);
  return distinct.some((other) => {
    const [shorter = 0, longer = 0] = [one.length, other.length].toSorted((a, b) => a - b);
    return 3 * longer <= 4 * shorter;
  });
}

/** How many calls are made as usual before the varied ones. */
const USUAL_CALLS = 6;

/**
 * List calls with an expired token.
 *
 * @param isVaried whether one of many has the scheme in lower case, and the next one no Tenant header: a provider may use other code
 */
export function callsWithExpired(
  targets: readonly string[],
  token: string | null,
  isVaried = false,
): readonly (CallOptions & { readonly target: string })[] {
  return targets.map((target, index) => ({
    target,
    authorization: `${isVaried && index === USUAL_CALLS ? 'bearer' : 'Bearer'} ${token}`,
    omittedHeaders: isVaried && index === USUAL_CALLS + 1 ? ['tenant'] : [],
  }));
}
