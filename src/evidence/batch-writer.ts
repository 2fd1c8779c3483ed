import { Buffer, isUtf8 } from 'node:buffer';

const WORD = 4;
const BACKSLASH = 0x5c;
const CONTROLS = 0x20;

/** Length of the longest escape in bytes: `\u0000`. */
const LONGEST = 6;

/** Smallest piece in bytes that is worth starting, unless less text is left. */
const MIN_PIECE_BYTES = 1_024;

/** Byte order of this machine. */
const LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/** Letters after the backslash that escape a control character; 0 for a control character without one. */
const LETTERS = new Uint8Array(CONTROLS);

for (const [byte, letter] of ['\bb', '\ff', '\nn', '\rr', '\tt'].map((pair) => Buffer.from(pair)))
  LETTERS[byte ?? 0] = letter ?? 0;

/** 1 for bytes that are escaped by a backslash in front of them. */
const NEEDS_BACKSLASH = new Uint8Array(256);

for (const byte of Buffer.from('"\\')) NEEDS_BACKSLASH[byte] = 1;

/** Progress of escaping: end of the source bytes read and of the target bytes written. */
interface Escaped {
  readonly read: number;
  readonly written: number;
}

/** Size of a batch in bytes. Passing a batch on costs as much as compressing a few thousand bytes. */
const BATCH_BYTES = 524_288;
/** Most UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_CHARACTER = 3;
/** Bytes encoded as base64 at a time. A multiple of three, so the pieces join without padding. */
const PIECE_BYTES = 98_304;

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

  async #escaped(body: Uint8Array): Promise<void> {
    for (let from = 0; from < body.length; ) {
      const { read, written } = escapeJson(body, from, this.#current, this.#length);
      this.#length = written;
      from = read;
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
      if (this.#length === this.#current.length) await this.flush();
      const piece = bytes.subarray(at, at + this.#current.length - this.#length);
      this.#current.set(piece, this.#length);
      this.#length += piece.length;
      at += piece.length;
    }
  }
}

/**
 * Writes UTF-8 text as the content of a JSON string, as JSON.stringify does, until the target may be full.
 * Reads four bytes at once, because most words need no escape.
 *
 * @param from offset in `source`
 * @param at offset in `target`
 */
export function escapeJson(source: Uint8Array, from: number, target: Buffer, at: number): Escaped {
  let read = from;
  let written = at;
  while (read < source.length) {
    // The bytes that fit even if each needs the longest escape, so the loop needs no bounds checks.
    const room = Math.floor((target.length - written) / LONGEST);
    if (room < Math.min(MIN_PIECE_BYTES, source.length - read)) break;
    const to = Math.min(source.length, read + room);
    written = escapeAll(source, read, to, target, written);
    read = to;
  }
  return { read, written };
}

function escapeAll(source: Uint8Array, from: number, to: number, target: Buffer, at: number): number {
  // Words must be aligned to four bytes in memory.
  const first = Math.min(to, from + (-(source.byteOffset + from) & (WORD - 1)));
  const last = to - ((to - first) & (WORD - 1));
  let written = at;
  for (let index = from; index < first; index += 1) written = escapeOne(source[index] ?? 0, target, written);
  if (first < last && LITTLE_ENDIAN) written = escapeWords(source, first, last, target, written);
  for (let index = LITTLE_ENDIAN ? last : first; index < to; index += 1)
    written = escapeOne(source[index] ?? 0, target, written);
  return written;
}

function escapeWords(source: Uint8Array, from: number, to: number, target: Buffer, at: number): number {
  const words = new Int32Array(source.buffer, source.byteOffset + from, (to - from) / WORD);
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let written = at;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? 0;
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    // The highest bit of a byte is set if it is a control character, a quote or a backslash.
    const marks =
      ((word - 0x20202020) & ~word) |
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash);
    if ((marks & 0x80808080) === 0) {
      view.setInt32(written, word, true);
      written += WORD;
      continue;
    }
    for (let shift = 0; shift < 32; shift += 8) {
      const byte = (word >>> shift) & 0xff;
      if (byte < CONTROLS) written = escapeControl(byte, target, written);
      else {
        // The backslash is overwritten if the byte needs none: cheaper than a branch.
        target[written] = BACKSLASH;
        written += NEEDS_BACKSLASH[byte] ?? 0;
        target[written] = byte;
        written += 1;
      }
    }
  }
  return written;
}

function escapeOne(byte: number, target: Buffer, at: number): number {
  if (byte < CONTROLS) return escapeControl(byte, target, at);
  const last = at + (NEEDS_BACKSLASH[byte] ?? 0);
  target[at] = BACKSLASH;
  target[last] = byte;
  return last + 1;
}

function escapeControl(byte: number, target: Buffer, at: number): number {
  const letter = LETTERS[byte] ?? 0;
  if (letter === 0) return at + target.write(`\\u00${byte < 16 ? '0' : ''}${byte.toString(16)}`, at);
  target[at] = BACKSLASH;
  target[at + 1] = letter;
  return at + 2;
}
