/**
 * The identity of a record as a number: a 53-bit hash of its JSON text, never 0. Two records of a list of a
 * million share one by chance in 1 of 18,000 lists, so whatever is to be told of a provider is read again first.
 */
export function identityOf(value: unknown): number {
  const text = typeof value === 'string' ? value : `\u0000${JSON.stringify(value)}`;
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0) + 1;
}

/** A set of identities in one typed array: 16 bytes a record at most, whatever the identifiers' length. */
export class IdentitySet {
  #slots = new Float64Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(identity: number): boolean {
    return this.#slots[this.#find(identity)] === identity;
  }

  /** Adds an identity; false where it was there already. */
  add(identity: number): boolean {
    const slot = this.#find(identity);
    if (this.#slots[slot] === identity) return false;
    this.#slots[slot] = identity;
    this.#size++;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  *values(): Generator<number> {
    for (const slot of this.#slots) if (slot !== 0) yield slot;
  }

  #find(identity: number): number {
    const mask = this.#slots.length - 1;
    let slot = (identity % 4294967291) & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== identity) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    for (const identity of old) if (identity !== 0) this.#slots[this.#find(identity)] = identity;
  }
}
