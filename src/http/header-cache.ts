import type { Header } from '../core/exchange.ts';

/** Headers in the cache, and characters of the longest one. */
const MOST = 512;
const LONGEST = 256;

/** Returns the same object for the same header: a run keeps the headers of every exchange, and most are equal. */
export class HeaderCache {
  /** By name, then by value. */
  readonly #known = new Map<string, Map<string, Header>>();
  #count = 0;

  /** The header of that name and value, the same object each time. */
  shared(name: string, value: string): Header {
    const known = this.#known.get(name)?.get(value);
    if (known !== undefined) return known;
    const header: Header = [name, value];
    if (name.length + value.length > LONGEST) return header;
    if (this.#count >= MOST) {
      this.#known.clear();
      this.#count = 0;
    }
    const values = this.#known.get(name) ?? new Map<string, Header>();
    this.#known.set(name, values.set(value, header));
    this.#count++;
    return header;
  }
}
