import { isJsonObject } from '../core/json-text.ts';
import type { Json } from '../core/results.ts';
import { type Exact, member } from './json-reader.ts';

/**
 * Identities of records in their order, 64 bits each, 0n where a record has none. Two records of a list of a million
 * share one by chance in 1 of 37 million lists: a reported violation compares the identifiers themselves.
 */
export type Identities = BigUint64Array;

/** An identifier: how it is compared, and how messages name it. */
export interface Identifier {
  /** Two identifiers have the same key if and only if they are equal. */
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

/** The bits of the identities as pairs of 32-bit halves: such numbers need no allocation. */
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

/** Slots at first. */
const FEWEST_SLOTS = 256;
/** Share of the slots that may be taken. */
const MOST_TAKEN = 0.75;
/** Share of the slots that a set of a known size may use, so that it does not have to grow. */
const MOST_TAKEN_IF_KNOWN = 0.7;
/** Most records for which memory is reserved by the provider's count; a longer list grows later. */
const MAX_RESERVED = 4_000_000;

/** A set of identities: 8 bytes a slot, 11 a record if its size is known, for identifiers of any length. */
export class IdentitySet {
  #table: Uint32Array;
  #size = 0;

  /** @param expected number of records, if known; it only affects memory */
  constructor(expected = 0) {
    const slots = Math.ceil(Math.min(expected, MAX_RESERVED) / MOST_TAKEN_IF_KNOWN) || 0;
    this.#table = new Uint32Array(2 * Math.max(FEWEST_SLOTS, slots));
  }

  get size(): number {
    return this.#size;
  }

  /** Adds identities and returns how many were new. Each 0n counts as new, and is not added. */
  addAll(identities: Identities): number {
    const words = wordsOf(identities);
    while (2 * this.#size + words.length > MOST_TAKEN * this.#table.length) this.#table = grown(this.#table);
    let added = 0;
    let nameless = 0;
    for (let at = 0; at < words.length; at += 2) {
      const low = words[at] as number;
      const high = words[at + 1] as number;
      if (low === 0 && high === 0) nameless++;
      else if (put(this.#table, low, high)) added++;
    }
    this.#size += added;
    return added + nameless;
  }

  /** How many of these are not in the set; each 0n counts. */
  countMissing(identities: Identities): number {
    const words = wordsOf(identities);
    let lacking = 0;
    for (let at = 0; at < words.length; at += 2) {
      if (!this.#has(words[at] as number, words[at + 1] as number)) lacking++;
    }
    return lacking;
  }

  /** The identities that another set does not contain, in ascending order. */
  beyond(other: IdentitySet): Identities {
    const found: number[] = [];
    for (const [low, high] of taken(this.#table)) if (!other.#has(low, high)) found.push(low, high);
    return new BigUint64Array(Uint32Array.from(found).buffer).sort();
  }

  #has(low: number, high: number): boolean {
    const slot = slotOf(this.#table, low, high);
    return this.#table[slot] !== 0 || this.#table[slot + 1] !== 0;
  }
}

/** Returns whether it was not there. */
function put(table: Uint32Array, low: number, high: number): boolean {
  const slot = slotOf(table, low, high);
  if (table[slot] !== 0 || table[slot + 1] !== 0) return false;
  table[slot] = low;
  table[slot + 1] = high;
  return true;
}

// Where an identity stands, or the free slot where it would.
function slotOf(table: Uint32Array, low: number, high: number): number {
  const slots = table.length / 2;
  let at = 2 * Math.floor((high / 4294967296) * slots);
  for (;;) {
    const there = table[at] as number;
    const beside = table[at + 1] as number;
    if ((there === low && beside === high) || (there === 0 && beside === 0)) return at;
    at += 2;
    if (at === table.length) at = 0;
  }
}

function grown(table: Uint32Array): Uint32Array {
  const larger = new Uint32Array(2 * table.length);
  for (const [low, high] of taken(table)) put(larger, low, high);
  return larger;
}

function* taken(table: Uint32Array): Generator<readonly [low: number, high: number]> {
  for (let at = 0; at < table.length; at += 2) {
    const low = table[at] as number;
    const high = table[at + 1] as number;
    if (low !== 0 || high !== 0) yield [low, high];
  }
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
    ...new Set([one, other].flatMap((item) => (isJsonObject(item) ? Object.keys(item) : []))),
  ].filter((name) => name !== besides);
  return names.filter(differIn).length > names.length / 2;
}
