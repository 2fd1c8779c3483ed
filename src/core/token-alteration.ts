import { Buffer } from 'node:buffer';
import { withoutTrailing } from './text.ts';

/** Characters of base64 and base64url text. */
const ENCODED = /[A-Za-z0-9+/_-]/;
/** Text that may be base32: its last character may hold spare bits, which decoders ignore. */
const BASE32 = /^(?:[A-Z2-7]+|[a-z2-7]+)=*$/;
const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Spare bits of the last character of base32 text, by its length modulo 8. */
const BASE32_SPARE_BITS: Readonly<Record<number, number>> = { 2: 2, 4: 4, 5: 1, 7: 3 };

/** The last part of a token of several parts, which may be a signature of the others. */
export interface LastPart {
  /** What stands before it. */
  readonly separator: string;
  /** Index of its first character. */
  readonly start: number;
}

/** What separates the parts of a token; the last one only before a digest, as it may occur in base64url. */
const SEPARATORS = ['.', ':', '|', '--'];
/** Lengths of SHA-1, SHA-256 and SHA-512 in hexadecimal. */
const DIGEST_LENGTHS = [40, 64, 128];
/** Characters of the shortest part that may be a signature. */
const SHORTEST_SIGNATURE = 16;

/** The last part of a token, if it may be a signature; null if there is none. */
export function lastPartOf(token: string): LastPart | null {
  const [last] = SEPARATORS.map((separator) => ({
    separator,
    start: token.lastIndexOf(separator) + separator.length,
  }))
    .filter(({ separator, start }) => start > separator.length && maySign(separator, token.length - start))
    .sort((one, other) => other.start - one.start);
  return last ?? null;
}

/** Whether so many characters after a separator may be a signature. */
function maySign(separator: string, length: number): boolean {
  return separator === '--' ? DIGEST_LENGTHS.includes(length) : length >= SHORTEST_SIGNATURE;
}

/**
 * Indices at which an opaque token is altered: its first, middle and last character; in a token of several parts the first one,
 * and two of its last part: all parts may have to be readable before a signature is compared.
 */
export function opaquePlaces(token: string): readonly [first: number, middle: number, last: number] {
  const last = lastPartOf(token);
  if (last === null)
    return [0, Math.floor(token.length / 2), Math.max(0, withoutTrailing(token, '=').length - 1)];
  const [, middle, nearEnd] = signaturePlaces(token.slice(last.start));
  return [0, last.start + middle, last.start + nearEnd];
}

/**
 * Indices at which a signature is altered. The last character of base64 may hold spare bits: the one before it always
 * carries six.
 */
export function signaturePlaces(
  signature: string,
): readonly [first: number, middle: number, nearEnd: number] {
  return [0, Math.floor(signature.length / 2), withoutTrailing(signature, '=').length - 2];
}

/** A character of a token, and the one that replaces it. */
interface Alteration {
  readonly index: number;
  readonly letter: string;
}

/**
 * Which character of a token to alter: the one at that index, or the nearest one before it (or else after it) that carries
 * information; null if there is none. The new character is one of {@link firstLetters}.
 */
export function alterationAt(token: string, place: number): Alteration | null {
  const letters = firstLetters(token);
  const indices = Array.from(token, (_letter, index) => index);
  for (const index of [...indices.slice(0, place + 1).reverse(), ...indices.slice(place + 1)]) {
    const letter = letters.find((one) => isChangedBy(token, index, one));
    if (letter !== undefined) return { index, letter };
  }
  return null;
}

/**
 * The first two letters or digits of a token that differ in more than case. What replaces a character is one of them, so
 * that the altered copy keeps the alphabet of the token and is not refused for that.
 */
export function firstLetters(token: string): readonly string[] {
  const [first, ...others] = token.match(/[A-Za-z0-9_-]/g) ?? [];
  const second = others.find((one) => one.toLowerCase() !== first?.toLowerCase());
  return [first, second].filter((letter) => letter !== undefined);
}

/** Whether another character at that index changes what the part of the token around it decodes to. */
function isChangedBy(token: string, index: number, letter: string): boolean {
  const old = token[index] ?? '';
  if (!ENCODED.test(old) || letter.toLowerCase() === old.toLowerCase()) return false;
  let from = index;
  while (from > 0 && ENCODED.test(token[from - 1] ?? '')) from -= 1;
  let to = index + 1;
  while (ENCODED.test(token[to] ?? '')) to += 1;
  const part = token.slice(from, to);
  const place = index - from;
  const altered = decodingsAt(part.slice(0, place) + letter + part.slice(place + 1), place);
  return decodingsAt(part, place).every((decoded, which) => decoded !== altered[which]);
}

export function mayBeBase32(token: string): boolean {
  return BASE32.test(token);
}

/** What the group of characters around a place may decode to: as base64 and, if the text may be that, as base32. */
function decodingsAt(part: string, place: number): readonly string[] {
  const groupOf = (size: number): string => part.slice(place - (place % size)).slice(0, size);
  const base64 = Buffer.from(groupOf(4), 'base64url').toString('latin1');
  return BASE32.test(part) ? [base64, base32Bits(groupOf(8))] : [base64];
}

function base32Bits(text: string): string {
  const bits = [...text.toUpperCase()].map((letter) =>
    BASE32_ALPHABET.indexOf(letter).toString(2).padStart(5, '0'),
  );
  return bits.join('').slice(0, text.length * 5 - (BASE32_SPARE_BITS[text.length % 8] ?? 0));
}
