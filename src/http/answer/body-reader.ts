import { Buffer, type Buffer as NodeBuffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { type Failure, type FailureCode, type Header, headerValues } from '../../core/exchange.ts';
import { BACKSLASH, QUOTE } from '../../core/json-scanner.ts';
import { codeOf } from '../../core/system-error.ts';
import type { Limits } from '../../target/target.ts';
import { failure } from '../failure.ts';

const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];

/** Bytes that a coding may add to a body that does not compress. */
const CODING_SLACK_BYTES = 65_536;

/** Bodies above this many bytes are large. */
const LARGE_BODY_BYTES = 2_097_152;

/**
 * Allows only one large body at a time: from when it exceeds LARGE_BODY_BYTES until it is recorded. Otherwise
 * parallel requests with answers of the maximum size would multiply the memory.
 */
export class LargeBodyLock {
  /** The holder, and those that wait for it. */
  readonly #queue: Waiting[] = [];

  /**
   * Calls `grant`, now or later, when the caller may continue; or `refuse` if the previous body timed out.
   *
   * @returns a function that releases the lock or stops waiting for it; further calls have no effect
   */
  acquire(grant: () => void, refuse: () => void): (timedOut?: boolean) => void {
    const waiting = { grant, refuse };
    this.#queue.push(waiting);
    if (this.#queue[0] === waiting) grant();
    return (timedOut = false) => {
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      if (place !== 0) return;
      // Each waiting body would time out in the same way, one after the other.
      if (timedOut) for (const next of this.#queue.splice(0)) next.refuse();
      else this.#queue[0]?.grant();
    };
  }
}

interface Waiting {
  readonly grant: () => void;
  readonly refuse: () => void;
}

/** Events of a body: exactly one of `done` and `failed` is called, once. */
interface BodyEvents {
  /** Reading pauses or resumes because another body is large. The pause does not count as the provider's time. */
  resting(resting: boolean): void;
  /** Call `release` after recording the body; until then, no other body may be large. */
  done(body: Uint8Array, bytesOnWire: number, release: () => void): void;
  failed(failure: Failure): void;
}

interface BodyBounds {
  /** The sender of the body, for messages. */
  readonly origin: string;
  /** Maximum size of the decoded body in bytes. */
  readonly maxBytes: number;
  /** The limit of the target file that this size comes from. */
  readonly limit: keyof Limits;
  /** Held while the body is large. */
  readonly large: LargeBodyLock;
}

/**
 * Reads and decodes the body of an answer. Never decodes or keeps more than `maxBytes` bytes, and reads about
 * as many from the socket, whatever Content-Length announces.
 *
 * @returns a function that stops reading and frees the decoders; its argument says whether the body timed out
 */
export function readBody(
  response: IncomingMessage,
  headers: readonly Header[],
  bounds: BodyBounds,
  events: BodyEvents,
): (timedOut: boolean) => void {
  const codings = codingsOf(headers);
  const reader = new BodyReader(response, codings ?? [], bounds, events);
  if (codings === null)
    reader.refuse('encoding', `${bounds.origin} sent a content coding that Assay did not offer`);
  else reader.start();
  return (timedOut) => reader.stop(timedOut);
}

class BodyReader {
  readonly #response: IncomingMessage;
  readonly #codings: readonly string[];
  readonly #bounds: BodyBounds;
  readonly #events: BodyEvents;
  readonly #collector: Collector;
  #isLarge: boolean = false;
  #releaseLock: ((timedOut?: boolean) => void) | null = null;
  #bytesOnWire = 0;
  #stopped: boolean = false;
  #delivered: boolean = false;

  constructor(response: IncomingMessage, codings: readonly string[], bounds: BodyBounds, events: BodyEvents) {
    this.#response = response;
    this.#codings = codings;
    this.#bounds = bounds;
    this.#events = events;
    this.#collector = new Collector(bounds.maxBytes + (codings.length === 0 ? 0 : CODING_SLACK_BYTES));
  }

  start(): void {
    this.#response.on('data', (chunk: Buffer) => {
      if (this.#stopped) return;
      this.#bytesOnWire += chunk.length;
      if (!this.#collector.add(chunk)) this.#tooLarge();
      else if (this.#collector.length > LARGE_BODY_BYTES && !this.#isLarge)
        this.#becomeLarge(() => this.#response.resume());
    });
    this.#response.on('end', () => {
      if (this.#stopped) return;
      const body = this.#collector.take();
      // An empty body is not valid gzip, but servers send one with 304, HEAD and many errors.
      if (body.length === 0) this.#finish(body);
      else this.#decode(body, this.#codings);
    });
  }

  stop(timedOut = false): void {
    this.#stopped = true;
    if (!this.#delivered) this.#releaseLock?.(timedOut);
  }

  refuse(code: FailureCode, message: string, limit?: keyof Limits): void {
    if (this.#stopped) return;
    this.stop();
    this.#events.failed(failure(code, message, limit));
  }

  /** Undoes the codings of a body, the last one first. */
  #decode(body: Uint8Array, codings: readonly string[]): void {
    const coding = codings.at(-1);
    if (coding === undefined) {
      this.#finish(body);
      return;
    }
    const inner = codings.slice(0, -1);
    const most = this.#bounds.maxBytes + (inner.length === 0 ? 0 : CODING_SLACK_BYTES);
    const isBounded = !this.#isLarge && most > LARGE_BODY_BYTES;
    const options = { maxOutputLength: isBounded ? LARGE_BODY_BYTES : most };
    decoderFor(coding, body)(body, options, (error, decoded) => {
      if (this.#stopped) return;
      if (error === null) this.#decode(decoded, inner);
      else if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE')
        this.refuse('encoding', `${this.#bounds.origin} sent a body whose content coding cannot be undone`);
      else if (isBounded) this.#becomeLarge(() => this.#decode(body, codings));
      else this.#tooLarge();
    });
  }

  /** Calls `proceed`, now or later, once no other body is large. */
  #becomeLarge(proceed: () => void): void {
    let isGranted: boolean = false;
    let isResting: boolean = false;
    this.#isLarge = true;
    this.#releaseLock = this.#bounds.large.acquire(
      () => {
        isGranted = true;
        if (isResting) this.#events.resting(false);
        proceed();
      },
      () => {
        const what =
          'sent a large answer, which was not read to its end: the large answer before it timed out';
        this.refuse('answer-timeout', `${this.#bounds.origin} ${what}`);
      },
    );
    if (isGranted) return;
    isResting = true;
    this.#response.pause();
    this.#events.resting(true);
  }

  #finish(body: Uint8Array): void {
    this.#delivered = true;
    this.stop();
    this.#events.done(body, this.#bytesOnWire, () => this.#releaseLock?.());
  }

  #tooLarge(): void {
    const { origin, maxBytes, limit } = this.#bounds;
    const most = `${maxBytes} bytes (limits.${limit})`;
    this.refuse('body-too-large', `${origin} sent a body of more than ${most}`, limit);
  }
}

const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br'];
const MAX_CODINGS = 4;

/**
 * The content codings of an answer in the order in which they were applied, without `identity`. Null if one
 * is unknown or if there are more than MAX_CODINGS, which only an attack sends.
 */
export function codingsOf(headers: readonly Header[]): readonly string[] | null {
  const codings = headerValues(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.length <= MAX_CODINGS && codings.every((coding) => CODINGS.includes(coding))
    ? codings
    : null;
}

/** A function that undoes one of the codings that `codingsOf` returns, for this coded data. */
function decoderFor(coding: string, coded: Uint8Array): typeof gunzip {
  if (coding === 'br') return brotliDecompress;
  if (coding !== 'deflate') return gunzip;
  // `deflate` means the zlib format (RFC 9110, 8.4.1.2), but many servers send raw deflate data. Only the zlib format
  // begins with method 8 and a window of at most 32 KiB.
  return ((coded[0] ?? 0) & 0x8f) === 0x08 ? inflate : inflateRaw;
}

/** Whether a body is empty, or a JSON object or array without its end. */
export function isTruncatedJson(body: Uint8Array): boolean {
  if (body.length === 0) return true;
  let depth = 0;
  let quoted = false;
  let opened = false;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index] ?? 0;
    if (quoted) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) quoted = false;
    } else if (OPENING.includes(byte)) {
      depth++;
      opened = true;
    } else if (!opened) {
      // White space or a byte order mark may come first; anything else is not an object or array.
      if (byte > 0x20 && byte < 0x80) return false;
    } else if (byte === QUOTE) quoted = true;
    else if (CLOSING.includes(byte)) depth--;
  }
  return opened && depth > 0;
}

const FIRST_CAPACITY = 16_384;
/** Bodies above this many bytes get the largest buffer at once: memory that is not written is not allocated. */
const LARGE_BYTES = 1_048_576;
/** Largest buffer allocated at once, in bytes. */
const MAX_BUFFER_BYTES = 67_108_864;

const EMPTY: NodeBuffer = Buffer.alloc(0);

/**
 * Collects a body of unknown length. The chunks are copied into one buffer: kept as they come, a body in chunks of one byte
 * would take a hundred times its size. Small buffers grow by doubling. A large body is copied once into a buffer of its maximum
 * size, of which the system provides only the filled part.
 */
export class Collector {
  readonly #maxBytes: number;
  #buffer: NodeBuffer = EMPTY;
  length = 0;

  /** @param maxBytes maximum size of the body; `add` refuses more */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk. Returns false if the body would exceed its maximum size. */
  add(chunk: Uint8Array): boolean {
    const length = this.length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.length);
    this.length = length;
    return true;
  }

  /**
   * Returns the body. A small one is copied to its exact size if the buffer is much larger, since it may wait to be written.
   */
  take(): Uint8Array {
    const body = this.#buffer.subarray(0, this.length);
    const wasted = this.#buffer.length - this.length;
    const exact = this.length <= LARGE_BYTES && wasted > this.length / 8 ? Uint8Array.from(body) : body;
    this.#buffer = EMPTY;
    return exact;
  }

  #grow(atLeast: number): void {
    const doubled = Math.max(FIRST_CAPACITY, this.#buffer.length * 2, atLeast);
    const capacity = Math.min(
      this.#maxBytes,
      doubled > LARGE_BYTES ? Math.max(MAX_BUFFER_BYTES, doubled) : doubled,
    );
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.length);
    this.#buffer = grown;
  }
}
