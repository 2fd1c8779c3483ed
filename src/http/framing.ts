import type { Socket } from 'node:net';

/** How the body of an answer is delimited. */
export type BodyEnd =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly bytes: number };

const CR = 0x0d;
const LF = 0x0a;
/** What the last chunk and its trailers end with. */
const LAST = [CR, LF, CR, LF];

/**
 * Watches the bytes of one connection for such as belong to no answer. What stands behind an answer, or comes while
 * nothing was asked, must never be taken for the answer to the next request.
 */
class Framing {
  readonly #socket: Socket;
  #busy: boolean = false;
  /** Bytes since the request was sent, and those of them behind the head of the answer; -1 before its end. */
  #behindHead = -1;
  #lineLength = 0;
  #line = '';
  #interim: boolean = false;
  #first: boolean = true;
  readonly #last: number[] = [];
  #onStray: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  begin(onStray: () => void): void {
    this.#busy = true;
    this.#onStray = onStray;
    this.#behindHead = -1;
    this.#lineLength = 0;
    this.#line = '';
    this.#first = true;
    this.#last.length = 0;
  }

  /** Whether bytes came behind the answer; nothing that comes from now on belongs to one. */
  end(body: BodyEnd): boolean {
    this.#busy = false;
    switch (body.kind) {
      case 'none':
        return this.#behindHead > 0;
      case 'length':
        return this.#behindHead > body.bytes;
      case 'chunked':
        return !LAST.every((byte, index) => this.#last[index] === byte);
      default:
        return false;
    }
  }

  #take(chunk: Buffer): void {
    if (!this.#busy) {
      // Some send a line break too much, which does no harm.
      if (chunk.some((byte) => byte !== CR && byte !== LF)) this.#onStray();
      this.#socket.destroy();
      return;
    }
    for (const byte of chunk.subarray(-LAST.length)) this.#last.push(byte);
    this.#last.splice(0, this.#last.length - LAST.length);
    let at = 0;
    while (this.#behindHead < 0 && at < chunk.length) {
      this.#readHead(chunk[at] ?? 0);
      at += 1;
    }
    if (this.#behindHead >= 0) this.#behindHead += chunk.length - at;
  }

  // The head ends with an empty line; that of an interim answer is followed by the next one.
  #readHead(byte: number): void {
    if (byte !== LF) {
      if (byte !== CR) this.#lineLength += 1;
      if (this.#first && this.#line.length < 12) this.#line += String.fromCharCode(byte);
      return;
    }
    if (this.#first && this.#lineLength > 0) {
      this.#interim = /^HTTP\/\d\.\d 1/.test(this.#line) && !this.#line.endsWith('101');
      this.#first = false;
    } else if (this.#lineLength === 0 && !this.#first) {
      if (this.#interim) this.#first = true;
      else this.#behindHead = 0;
      this.#line = '';
    }
    this.#lineLength = 0;
  }
}

const framings = new WeakMap<Socket, Framing>();

/** The framing of a connection: one for as long as it lasts. */
export function framingOf(socket: Socket): Pick<Framing, 'begin' | 'end'> {
  const known = framings.get(socket);
  if (known !== undefined) return known;
  const made = new Framing(socket);
  framings.set(socket, made);
  return made;
}
