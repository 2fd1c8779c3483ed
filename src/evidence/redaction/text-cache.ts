/** Most texts in each half of the cache, and most characters in a text. */
const MAX_TEXTS = 1_024;
const MAX_CHARACTERS = 1_024;

/** Results for short texts; the older half is dropped when the cache is full. */
export class TextCache {
  #newer = new Map<string, string>();
  #older = new Map<string, string>();

  /** The result for a text; undefined if it is not in the cache. */
  get(text: string): string | undefined {
    return this.#newer.get(text) ?? this.#older.get(text);
  }

  /** Stores the result for a text, unless the text is long; returns the result. */
  set(text: string, result: string): string {
    if (text.length > MAX_CHARACTERS) return result;
    if (this.#newer.size >= MAX_TEXTS) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(text, result);
    return result;
  }

  clear(): void {
    if (this.#newer.size > 0) this.#newer = new Map();
    if (this.#older.size > 0) this.#older = new Map();
  }
}
