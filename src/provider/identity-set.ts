import { type Identities, wordsOf } from './identity.ts';

/** Slots at first. */
const FEWEST_SLOTS = 256;
/** Share of the slots that may be taken. */
const MOST_TAKEN = 0.75;
/** The same for a set of a known size, so that it does not have to grow. */
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

  has(identity: bigint): boolean {
    return this.countMissing(BigUint64Array.of(identity)) === 0;
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

  /** Those that another set does not contain, in ascending order. */
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
