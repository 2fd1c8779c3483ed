import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { getOrMake } from '../../core/maps.ts';

const CR = 0x0d;
const LF = 0x0a;
const SP = 0x20;
const HT = 0x09;
/** Length of the status line up to the status: `HTTP/1.1 101`. */
const STATUS_LENGTH = 12;
/** The status line, up to the status, of a server that closes an idle connection. */
const IDLE_TIMEOUT = /^HTTP\/1\.[01] 408$/;
/** End of the last chunk or of the trailers. */
const END_OF_CHUNKS = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/**
 * Sees the bytes of a connection before node:http, for two purposes:
 *
 * - Folded lines in the headers of an answer become spaces (RFC 9112, 5.2): node's strict parser rejects them, and
 *   its lenient parser also accepts ambiguous answers. Lengths stay the same. All other bytes are unchanged, so the
 *   strict parser decides about them.
 * - Bytes after an answer, or while no request is pending, must never be taken for the next answer.
 */
class AnswerStream {
  readonly #socket: Socket;
  #onStray: () => void = () => undefined;
  #isAnswering: boolean = false;
  /** Bytes received after the head of the answer; -1 before its end. */
  #bytesAfterHead = -1;
  #statusLine = '';
  #isStatusLine: boolean = true;
  #lineLength = 0;
  /** A line break at the end of the last chunk: the next byte shows whether the line is folded. */
  #held: Buffer = NOTHING;
  #lastBytes: Buffer = NOTHING;

  constructor(socket: Socket) {
    this.#socket = socket;
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
      const bytes = chunk === null ? this.#held : this.#transform(chunk);
      if (chunk !== null) return bytes.length === 0 || push(bytes, encoding);
      if (bytes.length > 0) push(bytes);
      return push(null);
    };
  }

  /** Begins an answer. `onStray` is called for bytes that come before the next answer begins. */
  begin(onStray: () => void): void {
    this.#onStray = onStray;
    this.#isAnswering = true;
    this.#lastBytes = NOTHING;
    this.#beginHead();
  }

  /** Ends an answer. Returns whether bytes came after it. Later bytes are stray until the next `begin`. */
  end(method: string, { statusCode, headers }: IncomingMessage): boolean {
    this.#isAnswering = false;
    if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return this.#bytesAfterHead > 0;
    // The end of the connection also ends a body whose transfer coding is identity.
    const coding = headers['transfer-encoding'];
    if (coding !== undefined) return !/identity/i.test(coding) && !this.#lastBytes.equals(END_OF_CHUNKS);
    // Without a length, the end of the connection ends the body.
    const length = headers['content-length'];
    return length !== undefined && this.#bytesAfterHead > Number(length);
  }

  /** Returns the bytes to pass on; empty while a line break is held back, and for stray bytes. */
  #transform(chunk: Buffer): Buffer {
    if (!this.#isAnswering) {
      // Some servers send an extra line break, or say why they close an idle connection (RFC 9110, 15.5.9).
      const isHarmless =
        IDLE_TIMEOUT.test(chunk.toString('latin1', 0, STATUS_LENGTH)) ||
        chunk.every((byte) => byte === CR || byte === LF);
      if (!isHarmless) this.#onStray();
      this.#socket.destroy();
      return NOTHING;
    }
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = this.#isHead ? this.#readHead(bytes) : 0;
    const passed = this.#isHead ? bytes.subarray(0, end) : bytes;
    if (!this.#isHead) this.#bytesAfterHead += bytes.length - end;
    this.#held = bytes.subarray(passed.length);
    this.#lastBytes = Buffer.concat([this.#lastBytes, passed.subarray(-END_OF_CHUNKS.length)]).subarray(
      -END_OF_CHUNKS.length,
    );
    return passed;
  }

  get #isHead(): boolean {
    return this.#bytesAfterHead < 0;
  }

  /** Replaces folds in place. Returns the number of bytes up to the end of the head or to a line break to hold back. */
  #readHead(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#isHead) {
      const byte = bytes[at] ?? 0;
      // Only CR and LF together begin a fold.
      if (byte !== CR || (at + 1 < bytes.length && bytes[at + 1] !== LF)) {
        if (byte === LF) this.#endLine();
        else if (byte !== CR) this.#readByte(byte);
        at += 1;
        continue;
      }
      if (at + 1 === bytes.length) return at;
      // White space after the status line or the empty line is not a fold.
      const mayFold = !this.#isStatusLine && this.#lineLength > 0;
      if (mayFold && at + 2 === bytes.length) return at;
      if (mayFold && isWhiteSpace(bytes[at + 2])) {
        bytes[at] = SP;
        bytes[at + 1] = SP;
        for (let next = at + 2; isWhiteSpace(bytes[next]); next += 1) bytes[next] = SP;
      } else this.#endLine();
      at += 2;
    }
    return at;
  }

  #readByte(byte: number): void {
    this.#lineLength += 1;
    if (this.#isStatusLine && this.#statusLine.length < STATUS_LENGTH)
      this.#statusLine += String.fromCharCode(byte);
  }

  // The head ends with an empty line. An interim answer is followed by another head.
  #endLine(): void {
    if (this.#lineLength > 0) this.#isStatusLine = false;
    else if (!this.#isStatusLine) {
      if (/^HTTP\/\d\.\d 1(?!01)/.test(this.#statusLine)) this.#beginHead();
      else this.#bytesAfterHead = 0;
    }
    this.#lineLength = 0;
  }

  #beginHead(): void {
    this.#bytesAfterHead = -1;
    this.#statusLine = '';
    this.#isStatusLine = true;
    this.#lineLength = 0;
  }
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === SP || byte === HT;
}

const streams = new WeakMap<Socket, AnswerStream>();

/** The answers of a connection; the same object for its lifetime. */
export function answersOf(socket: Socket): Pick<AnswerStream, 'begin' | 'end'> {
  return getOrMake(streams, socket, () => new AnswerStream(socket));
}
