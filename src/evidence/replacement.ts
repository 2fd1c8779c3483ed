import { Buffer } from 'node:buffer';
import type { Found } from './scanner.ts';

/** Matches replaced in one text. More are an attack on memory: the rest of the text is left out. */
const MOST_REPLACED = 100_000;

/**
 * Builds a text with matches replaced by their labels. Overlapping matches are replaced together, by the label of the
 * longest. Built match by match, so a text full of secrets takes no more memory than the text itself.
 */
export class Replacement {
  readonly #source: Uint8Array;
  #pending: Found | null = null;
  #longest = 0;
  #count = 0;
  /** Up to where the source is written. */
  #at = 0;
  #made: Buffer | null = null;
  #length = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  /** Adds a match; matches have to come in the order of their starts. */
  take(found: Found): void {
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

  /** The text; the source itself without matches. */
  done(): Uint8Array {
    this.#write();
    if (this.#made === null) return this.#source;
    if (this.#count > MOST_REPLACED) {
      const left = this.#source.length - this.#at;
      this.#add(Buffer.from(`[${left} more bytes, left out for the secrets in them]`));
    } else this.#add(this.#source.subarray(this.#at));
    return this.#made.subarray(0, this.#length);
  }

  #write(): void {
    const found = this.#pending;
    this.#pending = null;
    if (found === null || this.#count > MOST_REPLACED) return;
    this.#count += 1;
    if (this.#count > MOST_REPLACED) return;
    this.#add(this.#source.subarray(this.#at, found.start));
    this.#add(Buffer.from(`[${found.label}]`));
    this.#at = found.end;
  }

  // Memory that is not written to is not allocated by the system, so the buffer may be generous.
  #add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    this.#made ??= Buffer.allocUnsafeSlow(this.#source.length + 1024);
    if (length > this.#made.length) {
      const grown = Buffer.allocUnsafeSlow(2 * length);
      this.#made.copy(grown, 0, 0, this.#length);
      this.#made = grown;
    }
    this.#made.set(bytes, this.#length);
    this.#length = length;
  }
}
