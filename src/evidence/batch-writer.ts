import { Buffer, isUtf8 } from 'node:buffer';
import { escapeJson } from './json-escapes.ts';

/** Bytes of a batch: passing one on costs as much as compressing some thousands of bytes. */
const BATCH_BYTES = 524_288;
/** Bytes that one character of a text may take. */
const WIDEST = 3;
/** Bytes turned into base64 at a time: a multiple of three, so that the pieces join without padding. */
const PIECE_BYTES = 98_304;

/** Writes the bytes of a file in batches. Two buffers take turns, so every byte is copied once and needs no other memory. */
export class BatchWriter {
  readonly #handOn: (batch: Uint8Array) => Promise<void>;
  #filling: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #handed: Buffer | null = null;
  #length = 0;
  #free: Promise<void> = Promise.resolve();

  /** @param handOn writes a batch; resolves, and never rejects, when the buffer may be used again */
  constructor(handOn: (batch: Uint8Array) => Promise<void>) {
    this.#handOn = handOn;
  }

  /** Adds a text. */
  async text(text: string): Promise<void> {
    if (text.length * WIDEST > BATCH_BYTES) {
      await this.#bytes(Buffer.from(text));
      return;
    }
    if (text.length * WIDEST > this.#filling.length - this.#length) await this.flush();
    this.#length += this.#filling.write(text, this.#length);
  }

  /** Adds a body as JSON: `{"text":"…"}`, or `{"base64":"…"}` if it is not UTF-8. */
  async body(body: Uint8Array): Promise<void> {
    const text = isUtf8(body);
    await this.text(text ? '{"text":"' : '{"base64":"');
    await (text ? this.#escaped(body) : this.#base64(body));
    await this.text('"}');
  }

  /** Passes the current batch on; resolves when more can be added. */
  async flush(): Promise<void> {
    await this.#free;
    const batch = this.#filling;
    this.#free = this.#handOn(batch.subarray(0, this.#length));
    this.#filling = this.#handed ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.#handed = batch;
    this.#length = 0;
  }

  /** Passes the last batch on; resolves when all are written. */
  async end(): Promise<void> {
    await this.flush();
    await this.#free;
  }

  async #escaped(body: Uint8Array): Promise<void> {
    for (let from = 0; from < body.length; ) {
      const { taken, filled } = escapeJson(body, from, this.#filling, this.#length);
      this.#length = filled;
      from = taken;
      if (from < body.length) await this.flush();
    }
  }

  async #base64(body: Uint8Array): Promise<void> {
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, body.length - at);
      await this.text(Buffer.from(body.buffer, body.byteOffset + at, length).toString('base64'));
    }
  }

  async #bytes(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#length === this.#filling.length) await this.flush();
      const piece = bytes.subarray(at, at + this.#filling.length - this.#length);
      this.#filling.set(piece, this.#length);
      this.#length += piece.length;
      at += piece.length;
    }
  }
}
