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
  end: number;
  readonly label: string;
}

interface Search {
  readonly bytes: Uint8Array;
  readonly found: Found[];
  /** The last match of each long pattern, extended by the overlapping matches after it. */
  readonly last: Map<Pattern, Found>;
}

/** Bytes at the start of a pattern by which it is looked up. */
const ANCHOR = 3;

/** Bytes of a pattern that are compared one by one before the rest is compared by Buffer.compare. */
const PREFIX_BYTES = 64;

/**
 * Finds many byte sequences in one pass over a text; the cost hardly depends on their number. It looks up the
 * three bytes at every place in a bitmap and compares patterns only on a hit.
 */
export class Scanner {
  readonly #maybe = new Uint8Array(65_536);
  readonly #byAnchor = new Map<number, Pattern[]>();
  readonly #tiny: Pattern[] = [];
  #activeTiny: readonly Pattern[] = this.#tiny;

  add(pattern: Pattern): void {
    const [first = 0, second = 0, third = 0] = pattern.bytes;
    if (pattern.bytes.length === 0) return;
    if (pattern.bytes.length < ANCHOR) {
      this.#tiny.push(pattern);
      return;
    }
    const anchor = (first << 16) | (second << 8) | third;
    this.#maybe[slotOf(anchor)] = 1;
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
   * Finds all matches, overlapping ones included; those of one pattern in order of their starts. Overlapping
   * matches of a long pattern are joined.
   */
  find(bytes: Uint8Array): Found[] {
    const search: Search = { bytes, found: [], last: new Map() };
    let anchor = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      anchor = ((anchor << 8) | (bytes[at] ?? 0)) & 0xffffff;
      if (this.#maybe[slotOf(anchor)] !== 1) continue;
      for (const pattern of this.#byAnchor.get(anchor) ?? []) collect(pattern, at + 1 - ANCHOR, search);
    }
    for (const pattern of this.#activeTiny)
      for (let start = 0; start < bytes.length; start += 1) collect(pattern, start, search);
    return search.found;
  }
}

function collect(pattern: Pattern, start: number, { bytes, found, last }: Search): void {
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

function slotOf(anchor: number): number {
  return (anchor ^ (anchor >>> 8)) & 0xffff;
}
