import { Buffer } from 'node:buffer';
import type { Found } from './scanner.ts';

/** Findings replaced in one text. More are an attack on memory: what follows them is left out. */
const MOST_REPLACED = 100_000;

/**
 * A text with labels in the place of what was found in it. Overlapping findings are replaced together, under the
 * label of the longest. Made as it is found, so that a text full of secrets takes no more than the text itself.
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

  /** Takes a finding; expected in the order of their starts. */
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

  /** The text; the source itself where nothing was found. */
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

  // Room that is not written to takes no memory, so there is plenty from the beginning.
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
