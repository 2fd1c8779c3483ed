import { createHash } from 'node:crypto';
import type { Json } from '../core/results.ts';

/**
 * What evidence tells of a secret in its place: enough that a replay can make a stand-in on which every check does
 * the same as on the secret, and nothing that would help anybody to use it.
 */
export interface SecretFacts {
  /** The label that stands for it, without brackets. */
  readonly label: string;
  /** Characters. */
  readonly length: number;
  /** Whether it holds letters of that case. */
  readonly lower: boolean;
  readonly upper: boolean;
  /** Of tokens only: what a forgery of it looks at. */
  readonly token: TokenFacts | null;
}

/** What checks that forge a token read of it. */
export interface TokenFacts {
  /**
   * Its beginning up to the second letter or digit that differs: forgeries put these into other places. Left out where
   * that would tell much of it; of a token that is all blanks, the whole.
   */
  readonly lead: string;
  /** Those of the places where forgeries alter it that hold its first letter or digit already, letter case aside. */
  readonly echoes: readonly number[];
  /** Characters `=` at its end. */
  readonly padding: number;
  /** Of a JWT: its header, the members of its payload (times and audience with their values, others as 0), and the
   * lengths of its parts. */
  readonly jwt: {
    readonly header: { readonly [name: string]: Json };
    readonly payload: { readonly [name: string]: Json };
    readonly lengths: readonly [header: number, payload: number, signature: number];
    /** Labels of the first tokens with the same header and the same payload. */
    readonly like: readonly [header: string, payload: string];
  } | null;
}

/** Claims that say nothing of anybody: when a token lives and for which service. */
const TOLD_CLAIMS = new Set(['exp', 'iat', 'nbf', 'aud']);
/** Header members that say how a token is made. */
const TOLD_HEADERS = new Set(['alg', 'typ', 'cty']);
/** Characters of the shortest token whose beginning is told, and of the longest beginning that is. */
const SHORTEST_LED = 16;
const LONGEST_LEAD = 4;
const TELLING = /[A-Za-z0-9_-]/;

/** The facts of a secret that is sent but never forged. */
export function secretFactsOf(secret: string, label: string): SecretFacts {
  return {
    label,
    length: secret.length,
    lower: /[a-z]/.test(secret),
    upper: /[A-Z]/.test(secret),
    token: null,
  };
}

/** Which header and payload came with which token first. */
export type KnownParts = Map<string, string>;

/** The facts of an access token; `known` remembers its parts for the tokens that follow. */
export function tokenFactsOf(token: string, label: string, known: KnownParts = new Map()): SecretFacts {
  const lead = tellableLead(token);
  const first = [...lead].find((letter) => TELLING.test(letter))?.toLowerCase() ?? '';
  const jwt = jwtIn(token, label, known);
  const echoes = alteredPlaces(token, jwt?.lengths ?? null).filter(
    (place) => first !== '' && token[place]?.toLowerCase() === first,
  );
  const padding = token.length - token.replace(/=+$/, '').length;
  return { ...secretFactsOf(token, label), token: { lead, echoes, padding, jwt } };
}

/**
 * A secret of the same shape that nobody has issued. The same facts give the same one; it is made of its label alone,
 * so that it betrays nothing.
 */
export function standInFor({ label, length, lower, upper, token }: SecretFacts): string {
  if (token?.jwt != null) return jwtStandIn(label, token, token.jwt);
  const lead = token?.lead ?? '';
  const first = [...lead].find((letter) => TELLING.test(letter))?.toLowerCase() ?? '';
  const letters = drawn(label, length, alphabetWithout(first, { lower, upper }));
  const made = [...lead, ...letters.slice([...lead].length)].slice(0, length);
  for (const place of token?.echoes ?? []) if (place >= lead.length) made[place] = first;
  const padding = token?.padding ?? 0;
  return made.join('').slice(0, length - padding) + '='.repeat(padding);
}

// The places at which provider/altered-tokens.ts alters a token.
function alteredPlaces(token: string, lengths: readonly [number, number, number] | null): readonly number[] {
  if (lengths === null) {
    const last = token.replace(/=+$/, '').length - 2;
    return [0, Math.floor(token.length / 2), Math.max(0, last)];
  }
  const [header, payload, length] = lengths;
  const start = header + payload + 2;
  const signature = token.slice(start);
  return [0, Math.floor(length / 2), signature.replace(/=+$/, '').length - 2].map((place) => start + place);
}

function tellableLead(token: string): string {
  if (token.trim() === '') return token.slice(0, SHORTEST_LED);
  const lead = leadOf(token);
  return token.length >= SHORTEST_LED && lead.length <= LONGEST_LEAD ? lead : '';
}

function leadOf(token: string): string {
  let first: string | null = null;
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] ?? '';
    if (!TELLING.test(letter)) continue;
    if (first !== null && letter.toLowerCase() !== first) return token.slice(0, at + 1);
    first ??= letter.toLowerCase();
  }
  return token;
}

function jwtIn(token: string, label: string, known: KnownParts): TokenFacts['jwt'] {
  const [first, second, third, ...more] = token.split('.');
  if (first === undefined || second === undefined || third === undefined || more.length > 0) return null;
  const header = objectIn(first);
  const payload = objectIn(second);
  if (header === null || payload === null || typeof header['alg'] !== 'string') return null;
  for (const part of [first, second]) if (!known.has(part)) known.set(part, label);
  return {
    header: told(header, TOLD_HEADERS),
    payload: told(payload, TOLD_CLAIMS),
    lengths: [first.length, second.length, third.length],
    like: [known.get(first) ?? label, known.get(second) ?? label],
  };
}

function told(
  members: { readonly [name: string]: Json },
  names: ReadonlySet<string>,
): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, names.has(name) ? value : 0]),
  );
}

function objectIn(part: string): { readonly [name: string]: Json } | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as { readonly [name: string]: Json })
      : null;
  } catch {
    return null;
  }
}

function jwtStandIn(label: string, facts: TokenFacts, jwt: NonNullable<TokenFacts['jwt']>): string {
  const [header, payload, signature] = jwt.lengths;
  const start = header + payload + 2;
  const letters = [...drawn(label, signature, alphabetWithout('e', { lower: true, upper: true }))];
  for (const place of facts.echoes) if (place >= start) letters[place - start] = 'e';
  const drawnPart = letters.join('');
  const end = '='.repeat(facts.padding);
  const [likeHeader, likePayload] = jwt.like;
  return `${encoded(jwt.header, header, likeHeader)}.${encoded(jwt.payload, payload, likePayload)}.${drawnPart.slice(0, signature - facts.padding)}${end}`;
}

// JSON may end in blanks, which bring a part to the length that the original had, and make it another than that of
// another token.
function encoded(members: { readonly [name: string]: Json }, length: number, like: string): string {
  const text = JSON.stringify(members);
  const blanks = Math.max(0, Math.floor((length * 3) / 4) - Buffer.byteLength(text));
  return Buffer.from(text + drawn(like, blanks, ' \t\n\r')).toString('base64url');
}

function alphabetWithout(
  letter: string,
  { lower, upper }: { readonly lower: boolean; readonly upper: boolean },
): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const all = (lower ? letters : '') + (upper ? letters.toUpperCase() : '') || '0123456789';
  return [...all].filter((one) => one.toLowerCase() !== letter).join('');
}

function drawn(label: string, length: number, alphabet: string): string {
  let text = '';
  for (let block = 0; text.length < length; block++) {
    const bytes = createHash('sha256').update(`stand-in ${label} ${block}`).digest();
    for (const byte of bytes) text += alphabet[byte % alphabet.length] ?? '';
  }
  return text.slice(0, length);
}
