/** Texts that are remembered, and characters of the longest. */
const MOST = 1_024;
const LONGEST = 1_024;

/** Short texts, each with what became of it; the oldest half is forgotten where they become many. */
export class TextCache {
  #made = new Map<string, string>();
  #older = new Map<string, string>();

  /** What became of the text; undefined where that is not known. */
  get(text: string): string | undefined {
    return this.#made.get(text) ?? this.#older.get(text);
  }

  /** Remembers what became of a text, unless it is long; returns it. */
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
