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

/** Every so many bytes of a text are looked up. */
const STRIDE = 4;

/** Length from which on a pattern holds a place that is looked up, with the two bytes after it. */
const MIN_LONG_BYTES = ANCHOR + STRIDE - 1;

/**
 * Finds many byte sequences in one pass over a text; the cost hardly depends on their number. It looks up
 * three bytes at every fourth place in a bitmap and compares patterns only on a hit. Patterns of fewer than six bytes
 * are looked up at every place.
 */
export class Scanner {
  readonly #long = new Anchors(STRIDE);
  #short: Anchors | null = null;
  readonly #tiny: Pattern[] = [];
  #activeTiny: readonly Pattern[] = this.#tiny;

  add(pattern: Pattern): void {
    const { length } = pattern.bytes;
    if (length >= MIN_LONG_BYTES) this.#long.add(pattern);
    else if (length >= ANCHOR) {
      this.#short ??= new Anchors(1);
      this.#short.add(pattern);
    } else if (length > 0) this.#tiny.push(pattern);
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
   * Finds all matches in the first `length` bytes, overlapping ones included; those of one pattern in order of their starts.
   * Overlapping matches of one pattern are joined.
   */
  find(bytes: Uint8Array, length: number): Found[] {
    const search: Search = { found: [], repeated: new Map() };
    this.#long.find(bytes, length, search);
    this.#short?.find(bytes, length, search);
    const tiny = this.#activeTiny;
    for (let index = 0; tiny.length > 0 && index < length; index += 1) {
      for (const pattern of tiny) collect(pattern, bytes, length, index, search);
    }
    return search.found;
  }
}

/** Patterns by three bytes of them: those at each of their first places, one of which is looked up wherever the pattern is. */
class Anchors {
  readonly #stride: number;
  readonly #maybe = new Uint8Array(65_536);
  readonly #candidates = new Map<number, { readonly pattern: Pattern; readonly offset: number }[]>();

  constructor(stride: number) {
    this.#stride = stride;
  }

  add(pattern: Pattern): void {
    // The last one first, so that the matches of a pattern are found in order of their starts.
    for (let offset = this.#stride - 1; offset >= 0; offset -= 1) {
      const [first = 0, second = 0, third = 0] = pattern.bytes.subarray(offset, offset + ANCHOR);
      this.#maybe[slot(first, second, third)] = 1;
      const anchor = key(first, second, third);
      const others = this.#candidates.get(anchor);
      if (others === undefined) this.#candidates.set(anchor, [{ pattern, offset }]);
      else others.push({ pattern, offset });
    }
  }

  find(bytes: Uint8Array, length: number, search: Search): void {
    const maybe = this.#maybe;
    for (let index = 0; index + ANCHOR <= length; index += this.#stride) {
      const first = bytes[index] ?? 0;
      const second = bytes[index + 1] ?? 0;
      const third = bytes[index + 2] ?? 0;
      if (maybe[slot(first, second, third)] !== 1) continue;
      for (const { pattern, offset } of this.#candidates.get(key(first, second, third)) ?? [])
        collect(pattern, bytes, length, index - offset, search);
    }
  }
}

function collect(
  pattern: Pattern,
  bytes: Uint8Array,
  length: number,
  start: number,
  { found, repeated }: Search,
): void {
  const end = start + pattern.bytes.length;
  if (start < 0 || end > length) return;
  const last = pattern.bytes.length > PREFIX_BYTES ? repeated.get(pattern) : undefined;
  if (last !== undefined && start < last.found.end) {
    if (!matchesAgain(pattern, bytes, last.latest, start)) return;
    last.latest = start;
    last.found.end = end;
    return;
  }
  if (!matches(pattern.bytes, bytes, start)) return;
  if (pattern.wholeToken && (isWord(bytes[start - 1]) || (end < length && isWord(bytes[end])))) return;
  const one = { start, end, label: pattern.label };
  if (pattern.bytes.length > PREFIX_BYTES) repeated.set(pattern, { found: one, latest: start });
  found.push(one);
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
