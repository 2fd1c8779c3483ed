import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Bytes from which a body is kept compressed: lists shrink to a fifth and less. */
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

  /** `wanted` says how often each body is going to be taken. */
  constructor(wanted: Map<string, number>) {
    this.#wanted = wanted;
  }

  /** Whether anybody is going to take it. */
  wants(sha256: string): boolean {
    return (this.#wanted.get(sha256) ?? 0) > 0;
  }

  /** Keeps a body for those who are going to take it. */
  keep(sha256: string, body: Uint8Array): void {
    const packed = body.length >= PACKED_FROM;
    this.#bodies.set(sha256, {
      bytes: packed ? deflateRawSync(body, { level: 1 }) : body,
      packed,
      length: body.length,
    });
  }

  /** Counts as taken from now on; what it returns gives the body. Null where it was not kept. */
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
  // In one piece, where pieces and their whole would take twice as much.
  return inflateRawSync(bytes, { chunkSize: length });
}
