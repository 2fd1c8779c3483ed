import type { Buffer as NodeBuffer } from 'node:buffer';
import { Buffer } from 'node:buffer';

const FIRST_CAPACITY = 16_384;
/** Bytes up to which a body is believed to become as long as was announced. */
const BELIEVED = 1_048_576;

/**
 * Gathers a body whose length is not known. The bytes are copied into one growing buffer: kept as they come,
 * a body sent in chunks of one byte each would cost a hundred times its size.
 */
export class Collector {
  readonly #maxBytes: number;
  readonly #announced: number;
  #buffer: NodeBuffer = Buffer.alloc(0);
  #length = 0;

  /**
   * @param maxBytes Bytes that the body may have; one more and `add` refuses.
   * @param announced Bytes that it is said to have; 0 where nothing was said.
   */
  constructor(maxBytes: number, announced = 0) {
    this.#maxBytes = maxBytes;
    this.#announced = announced <= BELIEVED ? announced : 0;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes one more piece; false where the body would then be longer than allowed. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  /** The body. A copy of its exact size, unless little is wasted, since bodies are kept as evidence. */
  take(): Uint8Array {
    const body = this.#buffer.subarray(0, this.#length);
    const wasted = this.#buffer.length - this.#length;
    const exact = wasted > this.#length / 8 ? Uint8Array.from(body) : body;
    this.#buffer = Buffer.alloc(0);
    return exact;
  }

  #grow(atLeast: number): void {
    const capacity = Math.min(
      this.#maxBytes,
      Math.max(this.#announced || FIRST_CAPACITY, this.#buffer.length * 2, atLeast),
    );
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
