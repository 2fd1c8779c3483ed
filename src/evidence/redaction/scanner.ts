import { Buffer } from 'node:buffer';

/** A byte sequence to find, and the label that replaces it. */
export interface Pattern {
  readonly bytes: Uint8Array;
  /** May be changed at any time. */
  label: string;
  /** Whether a match counts only if no letter, digit, `_` or `-` is next to it. */
  readonly wholeToken: boolean;
}

/** A match; `end` is exclusive. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** A match of a long pattern, extended by the overlapping matches of the same pattern. */
interface RepeatedMatch {
  readonly found: { readonly start: number; end: number; readonly label: string };
  /** Start of the last of these matches. */
  latest: number;
}

interface Search {
  readonly found: Found[];
  readonly repeated: Map<Pattern, RepeatedMatch>;
}

const ANCHOR = 3;

/** Bytes of a pattern that are compared one by one before the rest is compared by Buffer.compare. */
const PREFIX_BYTES = 64;

/**
 * Finds many byte sequences in one pass over a text; the cost hardly depends on their number. It looks up
 * three bytes at a time in a bitmap and compares patterns only on a hit.
 */
export class Scanner {
  readonly #maybe = new Uint8Array(65_536);
  readonly #byAnchor = new Map<number, Pattern[]>();
  readonly #tiny: Pattern[] = [];
  #activeTiny: readonly Pattern[] = this.#tiny;

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
  }

  /** Runs a synchronous function while patterns of one or two bytes are ignored. */
  withoutTiny<Result>(run: () => Result): Result {
    this.#activeTiny = [];
    try {
      return run();
    } finally {
      this.#activeTiny = this.#tiny;
    }
  }

  /**
   * Finds all matches in the first `length` bytes in order of their starts, overlapping ones included.
   * Overlapping matches of one pattern are joined.
   */
  find(bytes: Uint8Array, length: number): Found[] {
    const search: Search = { found: [], repeated: new Map() };
    this.#findLong(bytes, length, search);
    const tiny = this.#activeTiny;
    for (let index = 0; tiny.length > 0 && index < length; index += 1) {
      collect(tiny, bytes, length, index, search);
    }
    return search.found;
  }

  /** Finds the matches of patterns of three bytes and more. */
  #findLong(bytes: Uint8Array, length: number, search: Search): void {
    const maybe = this.#maybe;
    let first = bytes[0] ?? 0;
    let second = bytes[1] ?? 0;
    for (let index = ANCHOR - 1; index < length; index += 1) {
      const third = bytes[index] ?? 0;
      if (maybe[slot(first, second, third)] === 1) {
        const patterns = this.#byAnchor.get(key(first, second, third));
        if (patterns !== undefined) collect(patterns, bytes, length, index + 1 - ANCHOR, search);
      }
      first = second;
      second = third;
    }
  }
}

function collect(
  patterns: readonly Pattern[],
  bytes: Uint8Array,
  length: number,
  start: number,
  { found, repeated }: Search,
): void {
  for (const pattern of patterns) {
    const end = start + pattern.bytes.length;
    if (end > length) continue;
    const last = pattern.bytes.length > PREFIX_BYTES ? repeated.get(pattern) : undefined;
    if (last !== undefined && start < last.found.end) {
      if (!matchesAgain(pattern, bytes, last.latest, start)) continue;
      last.latest = start;
      last.found.end = end;
      continue;
    }
    if (!matches(pattern.bytes, bytes, start)) continue;
    if (pattern.wholeToken && (isWord(bytes[start - 1]) || (end < length && isWord(bytes[end])))) continue;
    const one = { start, end, label: pattern.label };
    if (pattern.bytes.length > PREFIX_BYTES) repeated.set(pattern, { found: one, latest: start });
    found.push(one);
  }
}

function matches(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  const prefixLength = Math.min(wanted.length, PREFIX_BYTES);
  for (let index = 0; index < prefixLength; index += 1) {
    if (wanted[index] !== bytes[start + index]) return false;
  }
  if (prefixLength === wanted.length) return true;
  return Buffer.compare(wanted, bytes.subarray(start, start + wanted.length)) === 0;
}

/** Like `matches`, after an overlapping match at `earlier`: compares only the bytes after that match. */
function matchesAgain(pattern: Pattern, bytes: Uint8Array, earlier: number, start: number): boolean {
  const { length } = pattern.bytes;
  const shift = start - earlier;
  const beyond = pattern.bytes.subarray(length - shift);
  return (
    repeatsAfter(pattern, shift) &&
    Buffer.compare(beyond, bytes.subarray(earlier + length, start + length)) === 0
  );
}

/** For each long pattern, whether it equals itself shifted by a number of bytes. */
const shifts = new WeakMap<Pattern, Map<number, boolean>>();

function repeatsAfter(pattern: Pattern, shift: number): boolean {
  const tried = shifts.get(pattern) ?? new Map<number, boolean>();
  shifts.set(pattern, tried);
  const known = tried.get(shift);
  if (known !== undefined) return known;
  const { bytes } = pattern;
  const same = Buffer.compare(bytes.subarray(shift), bytes.subarray(0, bytes.length - shift)) === 0;
  tried.set(shift, same);
  return same;
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
