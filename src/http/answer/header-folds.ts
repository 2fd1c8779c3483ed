import type { Socket } from 'node:net';

const CR = 0x0d;
const LF = 0x0a;
const SP = 0x20;
const HT = 0x09;
/** Length of the status line up to the status class: `HTTP/1.1 1`. */
const STATUS_CLASS = 10;

/**
 * Replaces folded lines in the headers of an answer by spaces (RFC 9112, 5.2) before node:http reads them:
 * its strict parser rejects them, and its lenient parser also accepts ambiguous answers. Lengths stay the
 * same. All other bytes are unchanged, so the strict parser decides about them.
 */
class HeaderFolds {
  /** A line break at the end of the last chunk: the next byte shows whether the line is folded. */
  #held: Buffer = Buffer.alloc(0);
  #isHead: boolean = false;
  #statusLine = '';
  #isStatusLine: boolean = true;
  #lineLength = 0;

  begin(): void {
    this.#isHead = true;
    this.#beginHead();
  }

  /** Returns the bytes to pass on; empty while a line break is held back. */
  transform(chunk: Buffer): Buffer {
    if (!this.#isHead) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = this.#replaceIn(bytes);
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** Returns the bytes that are still held back at the end of the connection. */
  rest(): Buffer {
    const rest = this.#held;
    this.#held = rest.subarray(rest.length);
    return rest;
  }

  /** Replaces folds in place. Returns the number of bytes to pass on. */
  #replaceIn(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#isHead) {
      if (bytes[at] !== CR) {
        this.#readByte(bytes[at] ?? 0);
        at += 1;
        continue;
      }
      if (at + 1 === bytes.length) return at;
      if (bytes[at + 1] !== LF) {
        this.#readByte(CR);
        at += 1;
        continue;
      }
      // White space after the status line or the empty line is not a fold.
      if (this.#isStatusLine || this.#lineLength === 0) this.#endLine();
      else if (at + 2 === bytes.length) return at;
      else if (isWhiteSpace(bytes[at + 2])) {
        bytes[at] = SP;
        bytes[at + 1] = SP;
        for (let next = at + 2; isWhiteSpace(bytes[next]); next += 1) bytes[next] = SP;
      } else this.#endLine();
      at += 2;
    }
    return bytes.length;
  }

  #readByte(byte: number): void {
    this.#lineLength += 1;
    if (this.#isStatusLine && this.#statusLine.length < STATUS_CLASS)
      this.#statusLine += String.fromCharCode(byte);
  }

  #endLine(): void {
    if (this.#lineLength === 0) {
      // Another head follows an interim answer.
      if (/^HTTP\/\d\.\d 1/.test(this.#statusLine)) this.#beginHead();
      else this.#isHead = this.#isStatusLine;
      return;
    }
    this.#isStatusLine = false;
    this.#lineLength = 0;
  }

  #beginHead(): void {
    this.#statusLine = '';
    this.#isStatusLine = true;
    this.#lineLength = 0;
  }
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === SP || byte === HT;
}

const known = new WeakMap<Socket, HeaderFolds>();

/** Unfolds the headers of the next answer on a connection. */
export function unfoldHeaders(socket: Socket): void {
  let folds = known.get(socket);
  if (folds === undefined) {
    folds = new HeaderFolds();
    known.set(socket, folds);
    interceptPush(socket, folds);
  }
  folds.begin();
}

function interceptPush(socket: Socket, folds: HeaderFolds): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    const bytes = chunk === null ? folds.rest() : folds.transform(chunk);
    if (chunk !== null) return bytes.length === 0 || push(bytes, encoding);
    if (bytes.length > 0) push(bytes);
    return push(null);
  };
}
