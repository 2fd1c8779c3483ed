import { Buffer } from 'node:buffer';
import type { Found } from './scanner.ts';

/**
 * Most matches replaced in one text. A text with more is an attack on memory, and the rest of it is left out.
 */
const MOST_REPLACED = 100_000;

/**
 * Replaces matches in a text by their labels. Overlapping matches are replaced together by the label of the
 * longest. Works match by match, so a text full of secrets takes no more memory than the text itself.
 */
export class Replacement {
  readonly #source: Uint8Array;
  #pending: Found | null = null;
  #longest = 0;
  #count = 0;
  /** Offset in the source up to which the result is written. */
  #at = 0;
  #result: Buffer | null = null;
  #length = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  /** Adds a match. Matches must come in order of their starts. */
  add(found: Found): void {
    const last = this.#pending;
    const length = found.end - found.start;
    if (last === null || found.start >= last.end) {
      this.#write();
      this.#pending = found;
      this.#longest = length;
      return;
    }
    const label = length > this.#longest ? found.label : last.label;
    this.#longest = Math.max(this.#longest, length);
    this.#pending = { start: last.start, end: Math.max(last.end, found.end), label };
  }

  /** Returns the text; the source itself if there are no matches. */
  finish(): Uint8Array {
    this.#write();
    if (this.#result === null) return this.#source;
    if (this.#count > MOST_REPLACED) {
      const left = this.#source.length - this.#at;
      this.#append(Buffer.from(`[${left} more bytes, left out for the secrets in them]`));
    } else this.#append(this.#source.subarray(this.#at));
    return this.#result.subarray(0, this.#length);
  }

  #write(): void {
    const found = this.#pending;
    this.#pending = null;
    if (found === null || this.#count > MOST_REPLACED) return;
    this.#count += 1;
    if (this.#count > MOST_REPLACED) return;
    this.#append(this.#source.subarray(this.#at, found.start));
    this.#append(Buffer.from(`[${found.label}]`));
    this.#at = found.end;
  }

  // The system allocates memory only when it is written, so the buffer may be large.
  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    this.#result ??= Buffer.allocUnsafeSlow(this.#source.length + 1024);
    if (length > this.#result.length) {
      const grown = Buffer.allocUnsafeSlow(2 * length);
      this.#result.copy(grown, 0, 0, this.#length);
      this.#result = grown;
    }
    this.#result.set(bytes, this.#length);
    this.#length = length;
  }
}
