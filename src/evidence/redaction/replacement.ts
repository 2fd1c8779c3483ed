import { Buffer } from 'node:buffer';
import type { Found } from './scanner.ts';

/**
 * Most matches replaced in one text. A text with more is an attack on memory, and the rest of it is left out.
 */
const MOST_REPLACED = 100_000;

/**
 * Matches in a text, to be replaced by their labels. Overlapping matches are replaced together by the label of
 * the longest.
 */
export class Replacement {
  readonly #joined: { start: number; end: number; label: string; longest: number }[] = [];

  /** Whether there are so many matches that the rest of the text is left out. */
  get isFull(): boolean {
    return this.#joined.length > MOST_REPLACED;
  }

  /** Adds matches that start after those of earlier calls, in any order. */
  add(matches: readonly Found[]): void {
    for (const { start, end, label } of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      const last = this.#joined.at(-1);
      const length = end - start;
      if (last === undefined || start >= last.end) {
        this.#joined.push({ start, end, label, longest: length });
        continue;
      }
      last.end = Math.max(last.end, end);
      if (length > last.longest) Object.assign(last, { label, longest: length });
    }
  }

  /** The text with the matches replaced; the text itself if there are none. */
  in(source: Uint8Array): Uint8Array {
    if (this.#joined.length === 0) return source;
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const { start, end, label } of this.#joined.slice(0, MOST_REPLACED)) {
      parts.push(source.subarray(at, start), Buffer.from(`[${label}]`));
      at = end;
    }
    const rest = source.subarray(at);
    parts.push(
      this.isFull ? Buffer.from(`[${rest.length} more bytes, left out for the secrets in them]`) : rest,
    );
    return Buffer.concat(parts);
  }
}
