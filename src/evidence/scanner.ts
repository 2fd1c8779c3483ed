import { strideFor, Words } from './words.ts';

/** A byte sequence to look for, and the label that is to stand in its place. */
export interface Pattern {
  readonly bytes: Uint8Array;
  readonly label: string;
  /** Whether it counts only where no letter, digit, `_` or `-` touches it. */
  readonly wholeToken: boolean;
}

/** Where a pattern was found; `end` is exclusive. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

const ANCHOR = 3;

/**
 * Finds any number of byte sequences in one pass over a text, whose cost hardly depends on how many there
 * are: three bytes at a time are looked up in a bitmap, and only where it says "maybe" is anything compared.
 *
 * Where all patterns are long enough, most of the text is not even looked at like that: wherever a pattern of 4 n + 3
 * bytes begins, one of the n aligned words of four bytes that follow lies within it, so that looking up every n-th word
 * of the text tells where a pattern may begin at all.
 */
export class Scanner {
  readonly #maybe = new Uint8Array(65_536);
  readonly #byAnchor = new Map<number, Pattern[]>();
  readonly #tiny: Pattern[] = [];
  #sought: readonly Pattern[] = this.#tiny;
  /** Null where a pattern is too short. */
  #words: Words | null = null;
  #shortest = Number.POSITIVE_INFINITY;

  add(pattern: Pattern): void {
    const [first, second, third] = pattern.bytes;
    if (first === undefined) return;
    if (second === undefined || third === undefined) {
      this.#tiny.push(pattern);
      return;
    }
    this.#maybe[slot(first, second, third)] = 1;
    const anchor = key(first, second, third);
    const others = this.#byAnchor.get(anchor);
    if (others === undefined) this.#byAnchor.set(anchor, [pattern]);
    else others.push(pattern);
    this.#addWords(pattern);
  }

  /** Runs something, which must not wait, while patterns of one or two bytes are not looked for. */
  withoutTiny<Result>(run: () => Result): Result {
    this.#sought = [];
    try {
      return run();
    } finally {
      this.#sought = this.#tiny;
    }
  }

  /** Every occurrence within the first `length` bytes, overlapping ones included, in order of their start. */
  find(bytes: Uint8Array, length: number): Found[] {
    const found: Found[] = [];
    if (this.#words === null) this.#findFrom(bytes, 0, length, length, found);
    else this.#words.find(bytes, length, (from, until) => this.#findFrom(bytes, from, until, length, found));
    const tiny = this.#sought;
    for (let index = 0; tiny.length > 0 && index < length; index += 1) {
      collect(tiny, bytes, length, index, found);
    }
    return found;
  }

  /** Those that begin from `from` on and before `until`. */
  #findFrom(bytes: Uint8Array, from: number, until: number, length: number, found: Found[]): void {
    const maybe = this.#maybe;
    let first = bytes[from] ?? 0;
    let second = bytes[from + 1] ?? 0;
    const last = Math.min(until + ANCHOR - 1, length);
    for (let index = from + ANCHOR - 1; index < last; index += 1) {
      const third = bytes[index] ?? 0;
      if (maybe[slot(first, second, third)] === 1) {
        const patterns = this.#byAnchor.get(key(first, second, third));
        if (patterns !== undefined) collect(patterns, bytes, length, index + 1 - ANCHOR, found);
      }
      first = second;
      second = third;
    }
  }

  #addWords(pattern: Pattern): void {
    this.#shortest = Math.min(this.#shortest, pattern.bytes.length);
    const stride = strideFor(this.#shortest);
    if (stride === null) this.#words = null;
    else if (stride !== this.#words?.stride || !this.#words.add(pattern.bytes))
      this.#words = Words.of(
        [...this.#byAnchor.values()].flat().map(({ bytes }) => bytes),
        stride,
      );
  }
}

function collect(
  patterns: readonly Pattern[],
  bytes: Uint8Array,
  length: number,
  start: number,
  found: Found[],
): void {
  for (const pattern of patterns) {
    const end = start + pattern.bytes.length;
    if (end > length || !matches(pattern.bytes, bytes, start)) continue;
    if (pattern.wholeToken && (isWord(bytes[start - 1]) || (end < length && isWord(bytes[end])))) continue;
    found.push({ start, end, label: pattern.label });
  }
}

function matches(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (wanted[index] !== bytes[start + index]) return false;
  }
  return true;
}

function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  const letter = lower >= 0x61 && lower <= 0x7a;
  return letter || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || byte === 0x2d || byte >= 0x80;
}

function slot(first: number, second: number, third: number): number {
  return ((first << 8) ^ (second << 4) ^ third) & 0xffff;
}

function key(first: number, second: number, third: number): number {
  return (first << 16) | (second << 8) | third;
}
