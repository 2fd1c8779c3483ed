import { Buffer } from 'node:buffer';

/** A line of evidence. A large body is kept separate from the text. */
export interface RawLine {
  /** JSON; contains `"body":null` if the body is separate. */
  readonly bytes: Buffer;
  /** Returns a separate body; throws if bodies were not requested. Null if `bytes` contain the whole line. */
  readonly separateBody: (() => Uint8Array) | null;
}

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Lines up to this many bytes are kept whole. */
const MAX_WHOLE_LINE_BYTES = 1_048_576;
/** Start of the last member of a line. No string contains it, because quotes in strings are escaped. */
const TEXT = ',"body":{"text":"';
const BASE64 = ',"body":{"base64":"';

/**
 * Splits evidence into lines. Does not use node:readline, which also splits at U+2028 and U+2029; JSON allows
 * these in a string. A large body is decoded while it is read: as text, value and bytes at once it would take
 * several times its size.
 *
 * @param wantsBodies whether large bodies are decoded
 * @throws Error if a large body is truncated or its length differs from the one in its line
 */
export async function* rawLines(input: AsyncIterable<Buffer>, wantsBodies: boolean): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let large: LargeLine | null = null;
  for await (const chunk of input) {
    let rest = chunk;
    while (rest.length > 0) {
      const end = rest.indexOf(LF);
      const piece = end < 0 ? rest : rest.subarray(0, end);
      rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
      if (large === null) {
        pieces.push(piece);
        length += piece.length;
        large = length > MAX_WHOLE_LINE_BYTES ? largeLine(Buffer.concat(pieces), wantsBodies) : null;
      } else large.take(piece);
      if (end < 0) continue;
      yield large?.line() ?? { bytes: Buffer.concat(pieces), separateBody: null };
      pieces = [];
      length = 0;
      large = null;
    }
  }
  if (large !== null || length > 0)
    yield large?.line() ?? { bytes: Buffer.concat(pieces), separateBody: null };
}

/** Starts a line with a separate body; null if no body has started yet. */
function largeLine(start: Buffer, wantsBody: boolean): LargeLine | null {
  for (const opening of [TEXT, BASE64]) {
    const at = start.indexOf(opening);
    if (at < 0) continue;
    const text = `${start.toString('utf8', 0, at)},"body":null}`;
    const bytes = wantsBody ? bytesIn(text) : 0;
    const line = new LargeLine(text, wantsBody ? decoderOf(opening, bytes) : null);
    line.take(start.subarray(at + opening.length));
    return line;
  }
  return null;
}

function bytesIn(text: string): number {
  const head = JSON.parse(text) as { readonly answer?: { readonly body?: { readonly bytes?: unknown } } };
  const bytes = head.answer?.body?.bytes;
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= 2 ** 31)
    return bytes;
  throw new Error('a line does not state the length of its body');
}

function decoderOf(opening: string, bytes: number): Decoder {
  return opening === TEXT ? new TextBody(bytes) : new Base64Body(bytes);
}

interface Decoder {
  take(piece: Buffer): void;
  body(): Uint8Array;
}

class LargeLine {
  readonly #text: string;
  readonly #decoder: Decoder | null;
  #complete: boolean = false;
  #escaped: boolean = false;

  constructor(text: string, decoder: Decoder | null) {
    this.#text = text;
    this.#decoder = decoder;
  }

  take(piece: Buffer): void {
    if (this.#complete) return;
    const end = this.#endOfBody(piece);
    this.#decoder?.take(end < 0 ? piece : piece.subarray(0, end));
    this.#complete = end >= 0;
  }

  line(): RawLine {
    if (!this.#complete) throw new Error('a body is truncated');
    const body = this.#decoder?.body() ?? null;
    const separateBody = (): Uint8Array => {
      if (body === null) throw new Error('bodies were not requested');
      return body;
    };
    return { bytes: Buffer.from(this.#text), separateBody };
  }

  // The first quote that is not escaped.
  #endOfBody(piece: Buffer): number {
    let at = 0;
    if (this.#escaped) {
      this.#escaped = false;
      at = 1;
    }
    for (; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    this.#escaped = at > piece.length;
    return -1;
  }
}

class FixedBuffer {
  readonly #bytes: Buffer;
  #length = 0;

  constructor(length: number) {
    this.#bytes = Buffer.allocUnsafeSlow(length);
  }

  add(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length)
      throw new Error('a body is longer than its line says');
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  whole(): Uint8Array {
    if (this.#length === this.#bytes.length) return this.#bytes;
    throw new Error('a body is shorter than its line says');
  }
}

class TextBody implements Decoder {
  readonly #buffer: FixedBuffer;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: number) {
    this.#buffer = new FixedBuffer(bytes);
  }

  take(piece: Buffer): void {
    const joined = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const to = joined.length - incompleteBytes(joined);
    this.#buffer.add(unescaped(joined.subarray(0, to)));
    this.#rest = Buffer.from(joined.subarray(to));
  }

  body(): Uint8Array {
    this.#buffer.add(unescaped(this.#rest));
    return this.#buffer.whole();
  }
}

function unescaped(piece: Buffer): Uint8Array {
  if (!piece.includes(BACKSLASH)) return piece;
  return Buffer.from(JSON.parse(`"${piece.toString('utf8')}"`) as string);
}

/** One byte less than the longest escape, a surrogate pair. */
const MAX_INCOMPLETE_BYTES = 11;

/** Bytes at the end of a piece that are part of an incomplete character, escape or surrogate pair. */
function incompleteBytes(piece: Buffer): number {
  const from = Math.max(0, piece.length - MAX_INCOMPLETE_BYTES - 1);
  for (let at = from; at < piece.length; at += 1) {
    const left = piece.length - at;
    const byte = piece[at] ?? 0;
    if (byte === BACKSLASH) {
      if (isEscaped(piece, at)) continue;
      if (left < 2) return left;
      if (piece[at + 1] !== 0x75) continue;
      if (left < 6) return left;
      const high = /^d[89ab]/i.test(piece.toString('latin1', at + 2, at + 4));
      if (high && left < 12) return left;
    } else if (byte >= 0xc0 && left < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2)) return left;
  }
  return 0;
}

// A backslash after an odd number of backslashes is itself escaped.
function isEscaped(piece: Buffer, at: number): boolean {
  let before = 0;
  while (piece[at - 1 - before] === BACKSLASH) before += 1;
  return before % 2 === 1;
}

class Base64Body implements Decoder {
  readonly #buffer: FixedBuffer;
  #rest = '';

  constructor(bytes: number) {
    this.#buffer = new FixedBuffer(bytes);
  }

  take(piece: Buffer): void {
    const joined = this.#rest + piece.toString('latin1');
    const to = joined.length - (joined.length % 4);
    this.#buffer.add(Buffer.from(joined.slice(0, to), 'base64'));
    this.#rest = joined.slice(to);
  }

  body(): Uint8Array {
    this.#buffer.add(Buffer.from(this.#rest, 'base64'));
    return this.#buffer.whole();
  }
}
