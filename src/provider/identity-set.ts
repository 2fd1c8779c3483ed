import { type Identities, wordsOf } from './identity.ts';

/** Tables of a set: each grows on its own, so growing takes a sixteenth of the memory of the set. */
const TABLES = 16;
/** Slots of a table at first. */
const FEWEST_SLOTS = 16;
/** Share of a table's slots that may be taken. */
const MOST_TAKEN = 0.75;
/** The same for a set of a known size, so that no table has to grow. */
const MOST_TAKEN_IF_KNOWN = 0.7;
/** Most records for which memory is reserved by the provider's count; a longer list grows later. */
const MAX_RESERVED = 4_000_000;

/** A set of identities: 8 bytes a slot, 11 a record if its size is known, for identifiers of any length. */
export class IdentitySet {
  readonly #tables: Uint32Array[];
  readonly #sizes = new Uint32Array(TABLES);
  #size = 0;

  /** @param expected number of records, if known; it only affects memory */
  constructor(expected = 0) {
    const share = Math.min(expected, MAX_RESERVED) / TABLES / MOST_TAKEN_IF_KNOWN;
    const slots = Math.max(FEWEST_SLOTS, Math.ceil(share) || 0);
    this.#tables = Array.from({ length: TABLES }, () => new Uint32Array(2 * slots));
  }

  get size(): number {
    return this.#size;
  }

  has(identity: bigint): boolean {
    const [low = 0, high = 0] = wordsOf(BigUint64Array.of(identity));
    return this.#has(low, high);
  }

  /** Adds identities and returns how many were new. Each 0n counts as new, and is not added. */
  addAll(identities: Identities): number {
    const words = wordsOf(identities);
    let added = 0;
    for (let at = 0; at < words.length; at += 2) {
      const low = words[at] as number;
      const high = words[at + 1] as number;
      if ((low === 0 && high === 0) || this.#add(low, high)) added++;
    }
    return added;
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
    for (const table of this.#tables) {
      for (let at = 0; at < table.length; at += 2) {
        const low = table[at] as number;
        const high = table[at + 1] as number;
        if ((low !== 0 || high !== 0) && !other.#has(low, high)) found.push(low, high);
      }
    }
    return new BigUint64Array(Uint32Array.from(found).buffer).sort();
  }

  #has(low: number, high: number): boolean {
    const table = this.#tables[low >>> 28] as Uint32Array;
    const slot = slotOf(table, low, high);
    return table[slot] !== 0 || table[slot + 1] !== 0;
  }

  #add(low: number, high: number): boolean {
    const which = low >>> 28;
    let table = this.#tables[which] as Uint32Array;
    let slot = slotOf(table, low, high);
    if (table[slot] !== 0 || table[slot + 1] !== 0) return false;
    const size = (this.#sizes[which] as number) + 1;
    if (2 * size > MOST_TAKEN * table.length) {
      table = grown(table);
      this.#tables[which] = table;
      slot = slotOf(table, low, high);
    }
    table[slot] = low;
    table[slot + 1] = high;
    this.#sizes[which] = size;
    this.#size++;
    return true;
  }
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
  for (let at = 0; at < table.length; at += 2) {
    const low = table[at] as number;
    const high = table[at + 1] as number;
    if (low === 0 && high === 0) continue;
    const slot = slotOf(larger, low, high);
    larger[slot] = low;
    larger[slot + 1] = high;
  }
  return larger;
}
