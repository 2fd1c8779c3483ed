/** Texts in each half of the cache, and characters of the longest one. */
const MOST = 1_024;
const LONGEST = 1_024;

/** Results for short texts; the older half is dropped when the cache is full. */
export class TextCache {
  #made = new Map<string, string>();
  #older = new Map<string, string>();

  /** The result for a text; undefined if it is not in the cache. */
  get(text: string): string | undefined {
    return this.#made.get(text) ?? this.#older.get(text);
  }

  /** Stores the result for a text, unless the text is long; returns the result. */
  set(text: string, made: string): string {
    if (text.length > LONGEST) return made;
    if (this.#made.size >= MOST) {
      this.#older = this.#made;
      this.#made = new Map();
    }
    this.#made.set(text, made);
    return made;
  }

  clear(): void {
    if (this.#made.size > 0) this.#made = new Map();
    if (this.#older.size > 0) this.#older = new Map();
  }
}
