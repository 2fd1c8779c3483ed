/** Bytes per word. */
const WORD = 4;
/** WordFilter from one lookup to the next. */
const STRIDES = [4, 2, 1];
/** Size of the smallest and of the largest bitmap, as powers of two. */
const MIN_SIZE_BITS = 14;
const MAX_SIZE_BITS = 20;
/** A larger bitmap is made if there are fewer slots than this per entry. */
const SLOTS_PER_ENTRY = 32;
/** Byte order of this machine. */
const LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/**
 * The largest stride (in words) that misses no pattern; null if a pattern is shorter than seven bytes,
 * because it may contain no aligned word.
 *
 * @param shortest length of the shortest pattern in bytes
 */
export function strideFor(shortest: number): number | null {
  return STRIDES.find((stride) => WORD * stride + WORD - 1 <= shortest) ?? null;
}

/**
 * Finds the ranges of a text in which patterns may begin, by its aligned words of four bytes. A pattern of 4
 * n + 3 bytes contains one of every n aligned words, which starts within the first 4 n bytes of the pattern.
 * The words at these offsets of all patterns are stored in a bitmap of hashes.
 */
export class WordFilter {
  /** WordFilter from one lookup to the next. */
  readonly stride: number;
  readonly #maybe: Uint8Array;
  readonly #shift: number;
  #used = 0;

  private constructor(stride: number, sizeBits: number) {
    this.stride = stride;
    this.#maybe = new Uint8Array(2 ** sizeBits);
    this.#shift = 32 - sizeBits;
  }

  /** @param stride from `strideFor` of the shortest pattern */
  static of(patterns: readonly Uint8Array[], stride: number): WordFilter {
    for (let sizeBits = MIN_SIZE_BITS; sizeBits < MAX_SIZE_BITS; sizeBits += 2) {
      const words = new WordFilter(stride, sizeBits);
      if (patterns.every((pattern) => words.add(pattern))) return words;
    }
    const words = new WordFilter(stride, MAX_SIZE_BITS);
    for (const pattern of patterns) words.add(pattern);
    return words;
  }

  /** Adds a pattern. Returns false if the bitmap is too full to be useful and a larger one is possible. */
  add(pattern: Uint8Array): boolean {
    const view = new DataView(pattern.buffer, pattern.byteOffset, pattern.byteLength);
    for (let at = 0; at < WORD * this.stride; at += 1) {
      const slot = slotOf(view.getInt32(at, LITTLE_ENDIAN), this.#shift);
      if (this.#maybe[slot] === 1) continue;
      this.#maybe[slot] = 1;
      this.#used += 1;
    }
    return this.#used * SLOTS_PER_ENTRY <= this.#maybe.length || this.#maybe.length === 2 ** MAX_SIZE_BITS;
  }

  /**
   * Calls `near` with every range of the first `length` bytes in which a pattern may begin, in order, without overlaps.
   */
  find(bytes: Uint8Array, length: number, near: (from: number, until: number) => void): void {
    // Words must be aligned to four bytes in memory.
    const first = -bytes.byteOffset & (WORD - 1);
    if (length < first + WORD) return;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + first, (length - first) >> 2);
    const maybe = this.#maybe;
    const shift = this.#shift;
    const stride = this.stride;
    for (let index = 0; index < words.length; index += stride) {
      if (maybe[slotOf(words[index] ?? 0, shift)] !== 1) continue;
      const at = first + WORD * index;
      near(Math.max(0, at + 1 - WORD * stride), at + 1);
    }
  }
}

function slotOf(word: number, shift: number): number {
  return Math.imul(word, 0x9e3779b1) >>> shift;
}
