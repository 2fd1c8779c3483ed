import { Buffer, isUtf8 } from 'node:buffer';

/** Size of a batch in bytes. Passing a batch on costs as much as compressing a few thousand bytes. */
const BATCH_BYTES = 524_288;
/** Most UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_CHARACTER = 3;
/** Bytes of text escaped at a time: even if each becomes `\u0000`, the result fits into a batch. */
const TEXT_PIECE_BYTES = 65_536;
/** Bytes encoded as base64 at a time. A multiple of three, so the pieces join without padding. */
const BASE64_PIECE_BYTES = 98_304;

/** Writes the bytes of a file in batches. It alternates between two buffers, so each byte is copied once. */
export class BatchWriter {
  readonly #writeBatch: (batch: Uint8Array) => Promise<void>;
  #current: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #previous: Buffer | null = null;
  #length = 0;
  #free: Promise<void> = Promise.resolve();

  /** @param writeBatch writes a batch; resolves when the buffer may be reused, and never rejects */
  constructor(writeBatch: (batch: Uint8Array) => Promise<void>) {
    this.#writeBatch = writeBatch;
  }

  /** Adds a text. */
  async text(text: string): Promise<void> {
    if (text.length * MAX_BYTES_PER_CHARACTER > BATCH_BYTES) {
      await this.#bytes(Buffer.from(text));
      return;
    }
    if (text.length * MAX_BYTES_PER_CHARACTER > this.#current.length - this.#length) await this.flush();
    this.#length += this.#current.write(text, this.#length);
  }

  /** Adds a body as JSON: `{"text":"…"}`, or `{"base64":"…"}` if it is not UTF-8. */
  async body(body: Uint8Array): Promise<void> {
    const text = isUtf8(body);
    await this.text(text ? '{"text":"' : '{"base64":"');
    await (text ? this.#escaped(body) : this.#base64(body));
    await this.text('"}');
  }

  /** Passes the current batch on. Resolves when more can be added. */
  async flush(): Promise<void> {
    await this.#free;
    const batch = this.#current;
    this.#free = this.#writeBatch(batch.subarray(0, this.#length));
    this.#current = this.#previous ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.#previous = batch;
    this.#length = 0;
  }

  /** Passes the last batch on. Resolves when all batches are written. */
  async end(): Promise<void> {
    await this.flush();
    await this.#free;
  }

  // Read as Latin-1, each byte is one character. JSON escapes only ASCII characters of it, so that the bytes of all
  // others are still UTF-8 when they are written as Latin-1.
  async #escaped(body: Uint8Array): Promise<void> {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    for (let at = 0; at < bytes.length; at += TEXT_PIECE_BYTES) {
      const piece = JSON.stringify(bytes.toString('latin1', at, at + TEXT_PIECE_BYTES)).slice(1, -1);
      if (piece.length > this.#current.length - this.#length) await this.flush();
      this.#length += this.#current.write(piece, this.#length, 'latin1');
    }
  }

  async #base64(body: Uint8Array): Promise<void> {
    for (let at = 0; at < body.length; at += BASE64_PIECE_BYTES) {
      const length = Math.min(BASE64_PIECE_BYTES, body.length - at);
      await this.text(Buffer.from(body.buffer, body.byteOffset + at, length).toString('base64'));
    }
  }

  async #bytes(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#length === this.#current.length) await this.flush();
      const piece = bytes.subarray(at, at + this.#current.length - this.#length);
      this.#current.set(piece, this.#length);
      this.#length += piece.length;
      at += piece.length;
    }
  }
}
