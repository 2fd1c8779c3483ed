import { Buffer } from 'node:buffer';

/** A byte sequence to find, and the label that replaces it. */
export interface Pattern {
  readonly bytes: Uint8Array;
  /** May be changed at any time. */
  label: string;
  /** Whether a match counts only if no letter, digit, `_` or `-` is next to it. */
  readonly wholeToken: boolean;
  /** Whether any sentence may contain it. */
  readonly isCommon: boolean;
}

/** A match; `end` is exclusive. */
export interface Found {
  readonly start: number;
  end: number;
  readonly label: string;
}

interface Search {
  readonly bytes: Uint8Array;
  readonly isWithoutCommon: boolean;
  readonly found: Found[];
  /** The last match of each long pattern, extended by the overlapping matches after it. */
  readonly last: Map<Pattern, Found>;
}

/** Bytes by which patterns are looked up. */
const ANCHOR = 3;
/** Every so many bytes of a text are looked up. */
const STRIDE = 4;
/** Length from which on a pattern holds a place that is looked up, with the bytes after it. */
const MIN_LONG_BYTES = ANCHOR + STRIDE - 1;

/** Bytes of a pattern that are compared one by one before the rest is compared by Buffer.compare. */
const PREFIX_BYTES = 64;

/** A pattern, and where in it the bytes are by which it was looked up. */
interface Candidate {
  readonly pattern: Pattern;
  readonly offset: number;
}

/**
 * Finds many byte sequences in one pass over a text; the cost hardly depends on their number. It looks up
 * three bytes at every fourth place in a bitmap and compares patterns only on a hit. Patterns of fewer than six bytes
 * are compared at every place.
 */
export class Scanner {
  readonly #maybe = new Uint8Array(65_536);
  readonly #byAnchor = new Map<number, Candidate[]>();
  #short: readonly Pattern[] = [];
  #areCommonIgnored = false;

  add(pattern: Pattern): void {
    const { bytes } = pattern;
    if (bytes.length < MIN_LONG_BYTES) {
      if (bytes.length > 0) this.#short = [...this.#short, pattern];
      return;
    }
    // The last one first, so that the matches of a pattern are found in order of their starts.
    for (let offset = STRIDE - 1; offset >= 0; offset -= 1) {
      const anchor = anchorAt(bytes, offset);
      this.#maybe[slotOf(anchor)] = 1;
      const others = this.#byAnchor.get(anchor);
      if (others === undefined) this.#byAnchor.set(anchor, [{ pattern, offset }]);
      else others.push({ pattern, offset });
    }
  }

  /** Runs a synchronous function while common patterns are ignored. */
  withoutCommon<Result>(run: () => Result): Result {
    this.#areCommonIgnored = true;
    try {
      return run();
    } finally {
      this.#areCommonIgnored = false;
    }
  }

  /** Finds all matches, those of one pattern in order; overlapping matches of a long pattern are joined. */
  find(bytes: Uint8Array): Found[] {
    const search: Search = { bytes, isWithoutCommon: this.#areCommonIgnored, found: [], last: new Map() };
    const maybe = this.#maybe;
    const last = bytes.length - ANCHOR;
    for (let at = 0; at <= last; at += STRIDE) {
      const anchor = anchorAt(bytes, at);
      if (maybe[slotOf(anchor)] !== 1) continue;
      for (const { pattern, offset } of this.#byAnchor.get(anchor) ?? [])
        collect(pattern, at - offset, search);
    }
    for (const pattern of this.#short)
      for (let start = 0; start < bytes.length; start += 1) collect(pattern, start, search);
    return search.found;
  }
}

function collect(pattern: Pattern, start: number, { bytes, isWithoutCommon, found, last }: Search): void {
  if (isWithoutCommon && pattern.isCommon) return;
  const wanted = pattern.bytes;
  const end = start + wanted.length;
  const prefix = Math.min(wanted.length, PREFIX_BYTES);
  if (start < 0 || end > bytes.length) return;
  for (let index = 0; index < prefix; index += 1) if (wanted[index] !== bytes[start + index]) return;
  if (pattern.wholeToken && (isWord(bytes[start - 1]) || isWord(bytes[end]))) return;
  if (wanted.length === prefix) {
    found.push({ start, end, label: pattern.label });
    return;
  }
  const before = last.get(pattern);
  // What an earlier match covers is replaced anyway; to compare it again at each byte could take hours.
  const compared = Math.max(prefix, (before?.end ?? 0) - start);
  if (Buffer.compare(wanted.subarray(compared), bytes.subarray(start + compared, end)) !== 0) return;
  if (before !== undefined && start < before.end) {
    before.end = end;
    return;
  }
  const match = { start, end, label: pattern.label };
  last.set(pattern, match);
  found.push(match);
}

function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  const letter = lower >= 0x61 && lower <= 0x7a;
  return letter || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || byte === 0x2d || byte >= 0x80;
}

function anchorAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

function slotOf(anchor: number): number {
  return (anchor ^ (anchor >>> 8)) & 0xffff;
}
