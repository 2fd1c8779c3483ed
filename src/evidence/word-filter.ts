/** Bytes of a word. */
const WORD = 4;
/** One of so many words is looked at. */
const STRIDES = [4, 2, 1];
/** Places of the smallest bitmap and of the largest, as powers of two. */
const FEWEST_PLACES = 14;
const MOST_PLACES = 20;
/** Of so many places one may be taken before a larger bitmap is made. */
const SPARSE = 32;
/** How typed arrays read words on this machine. */
const LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/**
 * Of how many words of a text one has to be looked at, so that none of the patterns is missed; null where even every
 * word would not do, because only a pattern of seven bytes holds an aligned word wherever it begins.
 *
 * @param shortest bytes of the shortest pattern
 */
export function strideFor(shortest: number): number | null {
  return STRIDES.find((stride) => WORD * stride + WORD - 1 <= shortest) ?? null;
}

/**
 * Where in a text patterns may begin, told by its aligned words of four bytes: a pattern of 4 n + 3 bytes holds every
 * n-th of them at one of its first 4 n places at least, wherever it begins. Which words patterns hold there is kept in a
 * bitmap of hashes, so that a text is told to be free of all of them by a few looks.
 */
export class WordFilter {
  /** One of so many words is looked at. */
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

  /** Takes a pattern in. False where too many places are taken to tell much of a text, and there are larger bitmaps. */
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
   * Calls back with every stretch of the first `length` bytes in which a pattern may begin: in order, and none overlaps
   * another.
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
