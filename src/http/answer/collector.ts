import type { Buffer as NodeBuffer } from 'node:buffer';
import { Buffer } from 'node:buffer';

const FIRST_CAPACITY = 16_384;
/** Announced lengths up to this many bytes are trusted for the first buffer. */
const MAX_TRUSTED_LENGTH = 1_048_576;
/**
 * Bodies above this many bytes get the largest buffer at once: memory that is not written is not allocated.
 */
const LARGE_BYTES = 1_048_576;
/** Largest buffer allocated at once, in bytes. */
const MAX_BUFFER_BYTES = 67_108_864;

const EMPTY: NodeBuffer = Buffer.alloc(0);

/**
 * Collects a body of unknown length. The chunks are copied into one buffer: kept as they come, a body in
 * chunks of one byte would take a hundred times its size. Small buffers grow by doubling. A large body is
 * copied once into a buffer of its maximum size, of which the system provides only the filled part. A body of
 * one chunk with its own memory is not copied.
 */
export class Collector {
  readonly #maxBytes: number;
  readonly #announced: number;
  #buffer: NodeBuffer = EMPTY;
  #length = 0;
  /** Whether the buffer is a received chunk. */
  #borrowed: boolean = false;

  /**
   * @param maxBytes maximum size of the body; `add` refuses more
   * @param announced announced size of the body in bytes; 0 if unknown
   */
  constructor(maxBytes: number, announced = 0) {
    this.#maxBytes = maxBytes;
    this.#announced = announced <= MAX_TRUSTED_LENGTH ? announced : 0;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk. Returns false if the body would exceed its maximum size. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (this.#length === 0 && ownsBuffer(chunk)) {
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

  /**
   * Returns the body. A small one is copied to its exact size if the buffer is much larger, since it may wait
   * to be written.
   */
  take(): Uint8Array {
    const body = this.#buffer.subarray(0, this.#length);
    const wasted = this.#buffer.length - this.#length;
    const exact = this.#length <= LARGE_BYTES && wasted > this.#length / 8 ? Uint8Array.from(body) : body;
    this.#buffer = EMPTY;
    return exact;
  }

  #grow(atLeast: number): void {
    const before = this.#borrowed ? 0 : this.#buffer.length * 2;
    this.#borrowed = false;
    const doubled = Math.max(this.#announced || FIRST_CAPACITY, before, atLeast);
    const capacity = Math.min(
      this.#maxBytes,
      doubled > LARGE_BYTES ? Math.max(MAX_BUFFER_BYTES, doubled) : doubled,
    );
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

// A chunk of a shared buffer would keep the whole buffer alive.
function ownsBuffer({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength > 0 && buffer.byteLength === byteLength;
}
