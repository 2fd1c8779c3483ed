import type { Socket } from 'node:net';

const CR = 0x0d;
const LF = 0x0a;
const SP = 0x20;
const HT = 0x09;
/** Where the class of a status line ends: `HTTP/1.1 1`. */
const STATUS_CLASS = 10;

/**
 * Replaces each line folding in the headers of an answer with spaces (RFC 9112, 5.2), before node:http reads them: its
 * strict parser rejects foldings, and its lenient one also accepts what makes two readings of one answer possible.
 * Lengths stay the same. Everything else passes unchanged, so that the strict parser decides on it.
 */
class HeaderFolds {
  /** A line break at the end of the last bytes: the next byte says whether it folds. */
  #held: Buffer = Buffer.alloc(0);
  #isHead: boolean = false;
  #statusLine = '';
  #isStatusLine: boolean = true;
  #lineLength = 0;

  begin(): void {
    this.#isHead = true;
    this.#beginHead();
  }

  /** The bytes to read now; empty while a line break is held back. */
  take(chunk: Buffer): Buffer {
    if (!this.#isHead) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = this.#replaceIn(bytes);
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** What is still held back at the end of the connection. */
  rest(): Buffer {
    const rest = this.#held;
    this.#held = rest.subarray(rest.length);
    return rest;
  }

  /** Replaces in place. Returns the number of bytes that can be read now. */
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
      // White space after the status line folds nothing; nor does anything after the empty line.
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
      // An interim answer is followed by the next head.
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

/** Unfolds the headers of the answer that comes next on a connection. */
export function unfoldHeaders(socket: Socket): void {
  let folds = known.get(socket);
  if (folds === undefined) {
    folds = new HeaderFolds();
    known.set(socket, folds);
    readThrough(socket, folds);
  }
  folds.begin();
}

function readThrough(socket: Socket, folds: HeaderFolds): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    const bytes = chunk === null ? folds.rest() : folds.take(chunk);
    if (chunk !== null) return bytes.length === 0 || push(bytes, encoding);
    if (bytes.length > 0) push(bytes);
    return push(null);
  };
}
