import type { Header } from '../core/exchange.ts';

/** Headers that are remembered, and the characters of the longest. */
const MOST = 512;
const LONGEST = 256;

/**
 * Gives the same object for the same header: a run keeps those of every exchange, and most of them say the same again
 * and again.
 */
export class SharedHeaders {
  readonly #known = new Map<string, Header>();

  /** The header, or one that is equal to it. */
  shared(header: Header): Header {
    const [name, value] = header;
    if (name.length + value.length > LONGEST) return header;
    const key = `${name.length} ${name}${value}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, header);
    return header;
  }
}
