import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Bodies of at least this many bytes are stored compressed. */
const MIN_COMPRESSED_BYTES = 4_096;

interface StoredBody {
  readonly bytes: Uint8Array;
  readonly compressed: boolean;
  /** Length of the uncompressed body in bytes. */
  readonly length: number;
}

/**
 * Bodies that later evidence lines refer to, by SHA-256. A body is dropped after its last reference is read.
 */
export class BodyStore {
  readonly #wanted: Map<string, number>;
  readonly #bodies = new Map<string, StoredBody>();

  /** @param wanted number of later references to each body */
  constructor(wanted: Map<string, number>) {
    this.#wanted = wanted;
  }

  /** Whether a later line refers to this body. */
  wants(sha256: string): boolean {
    return (this.#wanted.get(sha256) ?? 0) > 0;
  }

  /** Stores a body for later lines. */
  keep(sha256: string, body: Uint8Array): void {
    const compressed = body.length >= MIN_COMPRESSED_BYTES;
    this.#bodies.set(sha256, {
      bytes: compressed ? deflateRawSync(body, { level: 1 }) : body,
      compressed: compressed,
      length: body.length,
    });
  }

  /**
   * Counts one reference as used. Returns a function that returns the body; null if the body is not stored.
   */
  taker(sha256: string): (() => Uint8Array) | null {
    const stored = this.#bodies.get(sha256);
    if (stored === undefined) return null;
    const left = (this.#wanted.get(sha256) ?? 0) - 1;
    this.#wanted.set(sha256, left);
    if (left <= 0) this.#bodies.delete(sha256);
    return () => (stored.compressed ? inflate(stored) : stored.bytes);
  }
}

function inflate({ bytes, length }: StoredBody): Uint8Array {
  // One chunk: several chunks and the joined body would take twice the memory.
  return inflateRawSync(bytes, { chunkSize: length });
}
