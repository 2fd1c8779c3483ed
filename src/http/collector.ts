import type { Buffer as NodeBuffer } from 'node:buffer';
import { Buffer } from 'node:buffer';

const FIRST_CAPACITY = 16_384;
/** Bytes up to which a body is believed to become as long as was announced. */
const BELIEVED = 1_048_576;
/** Bytes from which on a body is given all the room it may need: what is not written to takes no memory. */
const LAST_GROWTH = 1_048_576;
/** Bytes of the most room that is set aside in one go. */
const MOST_ROOM = 67_108_864;

const NOTHING: NodeBuffer = Buffer.alloc(0);

/**
 * Gathers a body whose length is not known. The bytes are copied into one buffer: kept as they come, a body sent in
 * chunks of one byte each would cost a hundred times its size. Small ones grow by doubling; a large one is copied
 * once into a buffer as large as it may become, of which the system provides only what is filled. A body that comes in
 * one piece, with memory of its own, is not copied at all.
 */
export class Collector {
  readonly #maxBytes: number;
  readonly #announced: number;
  #buffer: NodeBuffer = NOTHING;
  #length = 0;
  /** Whether the buffer is a piece as it came. */
  #borrowed: boolean = false;

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
    if (this.#length === 0 && isWhole(chunk)) {
      this.#buffer = Buffer.from(chunk.buffer);
      this.#length = length;
      this.#borrowed = true;
      return true;
    }
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  /** The body. A small one is copied to its exact size unless little is wasted, since it may wait to be written. */
  take(): Uint8Array {
    const body = this.#buffer.subarray(0, this.#length);
    const wasted = this.#buffer.length - this.#length;
    const exact = this.#length <= LAST_GROWTH && wasted > this.#length / 8 ? Uint8Array.from(body) : body;
    this.#buffer = NOTHING;
    return exact;
  }

  #grow(atLeast: number): void {
    const before = this.#borrowed ? 0 : this.#buffer.length * 2;
    this.#borrowed = false;
    const doubled = Math.max(this.#announced || FIRST_CAPACITY, before, atLeast);
    const capacity = Math.min(this.#maxBytes, doubled > LAST_GROWTH ? Math.max(MOST_ROOM, doubled) : doubled);
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

// What shares its memory with others would keep all of it for as long as the body is kept.
function isWhole({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength > 0 && buffer.byteLength === byteLength;
}
