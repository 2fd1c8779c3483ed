import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Bytes from which a body is kept compressed. */
const PACKED_FROM = 4_096;

interface Kept {
  readonly bytes: Uint8Array;
  readonly packed: boolean;
  /** Bytes of the body itself. */
  readonly length: number;
}

/** Bodies that later lines of evidence refer to, by their SHA-256, until the last of these has been read. */
export class BodyStore {
  readonly #wanted: Map<string, number>;
  readonly #bodies = new Map<string, Kept>();

  /** @param wanted how often each body will be taken */
  constructor(wanted: Map<string, number>) {
    this.#wanted = wanted;
  }

  /** Whether a later line refers to it. */
  wants(sha256: string): boolean {
    return (this.#wanted.get(sha256) ?? 0) > 0;
  }

  /** Stores a body for later lines. */
  keep(sha256: string, body: Uint8Array): void {
    const packed = body.length >= PACKED_FROM;
    this.#bodies.set(sha256, {
      bytes: packed ? deflateRawSync(body, { level: 1 }) : body,
      packed,
      length: body.length,
    });
  }

  /** Counts the body as taken, and returns a function that gives it; null if it is not stored. */
  taker(sha256: string): (() => Uint8Array) | null {
    const kept = this.#bodies.get(sha256);
    if (kept === undefined) return null;
    const left = (this.#wanted.get(sha256) ?? 0) - 1;
    this.#wanted.set(sha256, left);
    if (left <= 0) this.#bodies.delete(sha256);
    return () => (kept.packed ? unpacked(kept) : kept.bytes);
  }
}

function unpacked({ bytes, length }: Kept): Uint8Array {
  // In one chunk: several chunks and the joined body would take twice as much memory.
  return inflateRawSync(bytes, { chunkSize: length });
}
