import type { Socket } from 'node:net';

/** How the body of an answer is delimited. */
type BodyEnd =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly bytes: number };

const CR = 0x0d;
const LF = 0x0a;
/** End of the last chunk or of the trailers. */
const END_OF_CHUNKS = [CR, LF, CR, LF];

/**
 * Detects bytes on a connection that belong to no answer. Bytes after an answer, or while no request is
 * pending, must never be taken for the next answer.
 */
class Framing {
  readonly #socket: Socket;
  #isAnswering: boolean = false;
  /** Bytes received after the head of the answer; -1 before its end. */
  #bytesAfterHead = -1;
  #lineLength = 0;
  #statusLine = '';
  #isInterim: boolean = false;
  #isFirstLine: boolean = true;
  readonly #lastBytes: number[] = [];
  #onStray: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
  }

  begin(onStray: () => void): void {
    this.#isAnswering = true;
    this.#onStray = onStray;
    this.#bytesAfterHead = -1;
    this.#lineLength = 0;
    this.#statusLine = '';
    this.#isFirstLine = true;
    this.#lastBytes.length = 0;
  }

  /** Ends an answer. Returns whether bytes came after it. Later bytes are stray until the next `begin`. */
  end(body: BodyEnd): boolean {
    this.#isAnswering = false;
    switch (body.kind) {
      case 'none':
        return this.#bytesAfterHead > 0;
      case 'length':
        return this.#bytesAfterHead > body.bytes;
      case 'chunked':
        return !END_OF_CHUNKS.every((byte, index) => this.#lastBytes[index] === byte);
      default:
        return false;
    }
  }

  #onData(chunk: Buffer): void {
    if (!this.#isAnswering) {
      // Some servers send an extra line break, which is harmless.
      if (chunk.some((byte) => byte !== CR && byte !== LF)) this.#onStray();
      this.#socket.destroy();
      return;
    }
    for (const byte of chunk.subarray(-END_OF_CHUNKS.length)) this.#lastBytes.push(byte);
    this.#lastBytes.splice(0, this.#lastBytes.length - END_OF_CHUNKS.length);
    let at = 0;
    while (this.#bytesAfterHead < 0 && at < chunk.length) {
      this.#readHead(chunk[at] ?? 0);
      at += 1;
    }
    if (this.#bytesAfterHead >= 0) this.#bytesAfterHead += chunk.length - at;
  }

  // The head ends with an empty line. An interim answer is followed by another head.
  #readHead(byte: number): void {
    if (byte !== LF) {
      if (byte !== CR) this.#lineLength += 1;
      if (this.#isFirstLine && this.#statusLine.length < 12) this.#statusLine += String.fromCharCode(byte);
      return;
    }
    if (this.#isFirstLine && this.#lineLength > 0) {
      this.#isInterim = /^HTTP\/\d\.\d 1/.test(this.#statusLine) && !this.#statusLine.endsWith('101');
      this.#isFirstLine = false;
    } else if (this.#lineLength === 0 && !this.#isFirstLine) {
      if (this.#isInterim) this.#isFirstLine = true;
      else this.#bytesAfterHead = 0;
      this.#statusLine = '';
    }
    this.#lineLength = 0;
  }
}

const framings = new WeakMap<Socket, Framing>();

/** The framing of a connection; the same object for its lifetime. */
export function framingOf(socket: Socket): Pick<Framing, 'begin' | 'end'> {
  const known = framings.get(socket);
  if (known !== undefined) return known;
  const framing = new Framing(socket);
  framings.set(socket, framing);
  return framing;
}
