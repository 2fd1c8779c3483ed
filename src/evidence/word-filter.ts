/** Bytes of a word. */
const WORD = 4;
/** WordFilter from one lookup to the next. */
const STRIDES = [4, 2, 1];
/** Places of the smallest bitmap and of the largest, as powers of two. */
const FEWEST_PLACES = 14;
const MOST_PLACES = 20;
/** Places per entry before a larger bitmap is made. */
const SPARSE = 32;
/** How typed arrays read words on this machine. */
const LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/**
 * The largest stride (in words) at which no pattern is missed; null if there is none, because a pattern of fewer than seven
 * bytes need not contain an aligned word.
 *
 * @param shortest bytes of the shortest pattern
 */
export function strideFor(shortest: number): number | null {
  return STRIDES.find((stride) => WORD * stride + WORD - 1 <= shortest) ?? null;
}

/**
 * Finds the parts of a text in which patterns may begin, by its aligned words of four bytes. A pattern of 4 n + 3 bytes
 * contains one of every n aligned words, and it starts within its first 4 n bytes. The words at these places of all patterns
 * are kept in a bitmap of hashes.
 */
export class WordFilter {
  /** WordFilter from one lookup to the next. */
  readonly stride: number;
  readonly #maybe: Uint8Array;
  readonly #shift: number;
  #taken = 0;

  private constructor(stride: number, places: number) {
    this.stride = stride;
    this.#maybe = new Uint8Array(2 ** places);
    this.#shift = 32 - places;
  }

  /** @param stride what `strideFor` gives for the shortest of them */
  static of(patterns: readonly Uint8Array[], stride: number): WordFilter {
    for (let places = FEWEST_PLACES; places < MOST_PLACES; places += 2) {
      const words = new WordFilter(stride, places);
      if (patterns.every((pattern) => words.add(pattern))) return words;
    }
    const words = new WordFilter(stride, MOST_PLACES);
    for (const pattern of patterns) words.add(pattern);
    return words;
  }

  /** Adds a pattern. Returns false if the bitmap is too full to be useful and a larger one is possible. */
  add(pattern: Uint8Array): boolean {
    const view = new DataView(pattern.buffer, pattern.byteOffset, pattern.byteLength);
    for (let at = 0; at < WORD * this.stride; at += 1) {
      const place = placeOf(view.getInt32(at, LITTLE_ENDIAN), this.#shift);
      if (this.#maybe[place] === 1) continue;
      this.#maybe[place] = 1;
      this.#taken += 1;
    }
    return this.#taken * SPARSE <= this.#maybe.length || this.#maybe.length === 2 ** MOST_PLACES;
  }

  /**
   * Calls `near` with every range of the first `length` bytes in which a pattern may begin, in order, without overlaps.
   */
  find(bytes: Uint8Array, length: number, near: (from: number, until: number) => void): void {
    // What is read as words begins at a multiple of four in memory.
    const first = -bytes.byteOffset & (WORD - 1);
    if (length < first + WORD) return;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + first, (length - first) >> 2);
    const maybe = this.#maybe;
    const shift = this.#shift;
    const stride = this.stride;
    for (let index = 0; index < words.length; index += stride) {
      if (maybe[placeOf(words[index] ?? 0, shift)] !== 1) continue;
      const at = first + WORD * index;
      near(Math.max(0, at + 1 - WORD * stride), at + 1);
    }
  }
}

function placeOf(word: number, shift: number): number {
  return Math.imul(word, 0x9e3779b1) >>> shift;
}
