import type { Json } from '../core/results.ts';
import { type Exact, isObject, member } from './json-reader.ts';

/**
 * Identities of records in their order, 64 bits each, 0n where a record has none. Two records of a list of a million
 * share one by chance in 1 of 37 million lists: a reported violation compares the identifiers themselves.
 */
export type Identities = BigUint64Array;

/** An identifier: how it is compared, and how messages name it. */
export interface Identifier {
  /** The same for equal identifiers alone. */
  readonly key: string;
  readonly name: string;
}

/** An identifier as it was read; `exact` where it is a number that a double cannot hold. */
export function identifierOf(read: unknown, exact?: Exact): Identifier {
  const key = identityText(read, exact);
  return { key, name: typeof read === 'string' ? read : key.slice(1) };
}

/** The text that is hashed: a string itself; for any other value, a prefix character and its JSON text. */
export function identityText(read: unknown, exact?: Exact): string {
  return typeof read === 'string' ? read : `\u0000${exact?.text ?? JSON.stringify(read)}`;
}

/** The identity of one identifier, as it was read or by its key, never 0n. */
export function identityOf(identifier: unknown): bigint {
  const [identity = 0n] = identitiesOf([identifier]);
  return identity;
}

/** The identities of identifiers; 0n where one is undefined. */
export function identitiesOf(identifiers: readonly unknown[]): Identities {
  const identities = new BigUint64Array(identifiers.length);
  const words = wordsOf(identities);
  identifiers.forEach((identifier, place) => {
    if (identifier !== undefined) writeIdentity(words, place, identityText(identifier));
  });
  return identities;
}

/** The same bits as two 32-bit halves: such numbers need no allocation. */
export function wordsOf(identities: Identities): Uint32Array {
  return new Uint32Array(identities.buffer, identities.byteOffset, 2 * identities.length);
}

/** Whether both are the same identities in the same order. */
export function sameIdentities(one: Identities, other: Identities): boolean {
  return bytesOf(one).equals(bytesOf(other));
}

function bytesOf({ buffer, byteOffset, byteLength }: Identities): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Writes the identity of an identifier's text as the pair of words at a place. */
export function writeIdentity(words: Uint32Array, place: number, text: string): void {
  let high = HIGH;
  let low = LOW;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, HIGH_FACTOR);
    low = Math.imul(low ^ code, LOW_FACTOR);
  }
  finish(words, place, high, low);
}

const HIGH = 0xdeadbeef;
const LOW = 0x41c6ce57;
const HIGH_FACTOR = 2654435761;
const LOW_FACTOR = 1597334677;

function finish(words: Uint32Array, place: number, one: number, other: number): void {
  const high = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  const low = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  words[2 * place] = low;
  // 0 stands for none.
  words[2 * place + 1] = low === 0 && high === 0 ? 1 : high;
}

/** The member that identifies an item unless the target file names another one. */
export const USUAL_ID_FIELD = 'id';

/** Whether two items have different values of `id`, or without it differ in most of their members besides one. */
export function areDifferentRecords(one: Json, other: Json, besides: string): boolean {
  const differIn = (name: string): boolean =>
    JSON.stringify(member(one, name)) !== JSON.stringify(member(other, name));
  if ([one, other].every((item) => member(item, USUAL_ID_FIELD) !== undefined))
    return differIn(USUAL_ID_FIELD);
  const names = [
    ...new Set([one, other].flatMap((item) => (isObject(item) ? Object.keys(item) : []))),
  ].filter((name) => name !== besides);
  return names.filter(differIn).length > names.length / 2;
}
