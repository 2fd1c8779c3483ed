import type { Header } from '../core/exchange.ts';

/** Most headers in the cache, and most characters in a cached header. */
const MAX_HEADERS = 512;
const MAX_CHARACTERS = 256;

/**
 * Returns the same object for equal headers: a run keeps the headers of every exchange, and most are equal.
 */
export class HeaderCache {
  /** Headers by name, then by value. */
  readonly #known = new Map<string, Map<string, Header>>();
  #count = 0;

  /** The header with this name and value; usually the same object each time. */
  shared(name: string, value: string): Header {
    const known = this.#known.get(name)?.get(value);
    if (known !== undefined) return known;
    const header: Header = [name, value];
    if (name.length + value.length > MAX_CHARACTERS) return header;
    if (this.#count >= MAX_HEADERS) {
      this.#known.clear();
      this.#count = 0;
    }
    const values = this.#known.get(name) ?? new Map<string, Header>();
    this.#known.set(name, values.set(value, header));
    this.#count++;
    return header;
  }
}
