import { Buffer } from 'node:buffer';

/** A line of evidence: its text, and apart from it a body that was too large to stay in it. */
export interface RawLine {
  /** JSON; with `"body":null` where the body stands apart. */
  readonly bytes: Buffer;
  /** Gives a body that stands apart; throws where it was not wanted. Null where `bytes` hold all of the line. */
  readonly apart: (() => Uint8Array) | null;
}

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes up to which a line is taken as a whole. */
const WHOLE_BYTES = 1_048_576;
/** How the last member of a line begins; no string holds this, since quotes in strings are escaped. */
const TEXT = ',"body":{"text":"';
const BASE64 = ',"body":{"base64":"';

/**
 * Splits evidence into its lines. Not node:readline: it also breaks lines at U+2028 and U+2029, which JSON allows
 * inside a string. A large body is decoded while it is read: as a text, a value and bytes at once it would take
 * several times its size.
 *
 * @param wantsBodies whether large bodies are decoded at all
 * @throws Error where a large body is cut off or of another length than its line says
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
        large = length > WHOLE_BYTES ? largeLine(Buffer.concat(pieces), wantsBodies) : null;
      } else large.take(piece);
      if (end < 0) continue;
      yield large?.line() ?? { bytes: Buffer.concat(pieces), apart: null };
      pieces = [];
      length = 0;
      large = null;
    }
  }
  if (large !== null || length > 0) yield large?.line() ?? { bytes: Buffer.concat(pieces), apart: null };
}

/** The beginning of a line as one whose body is read apart; null where it has none (yet). */
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
  throw new Error('a line does not say how long its body is');
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
  #over: boolean = false;
  #escaped: boolean = false;

  constructor(text: string, decoder: Decoder | null) {
    this.#text = text;
    this.#decoder = decoder;
  }

  take(piece: Buffer): void {
    if (this.#over) return;
    const end = this.#end(piece);
    this.#decoder?.take(end < 0 ? piece : piece.subarray(0, end));
    this.#over = end >= 0;
  }

  line(): RawLine {
    if (!this.#over) throw new Error('a body is cut off');
    const body = this.#decoder?.body() ?? null;
    const apart = (): Uint8Array => {
      if (body === null) throw new Error('a body is asked for that was not wanted');
      return body;
    };
    return { bytes: Buffer.from(this.#text), apart };
  }

  // The first quote that no backslash escapes.
  #end(piece: Buffer): number {
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

/** Bytes of a length that is known beforehand. */
class Filled {
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
  readonly #filled: Filled;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: number) {
    this.#filled = new Filled(bytes);
  }

  take(piece: Buffer): void {
    const joined = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const to = joined.length - unfinished(joined);
    this.#filled.add(unescaped(joined.subarray(0, to)));
    this.#rest = Buffer.from(joined.subarray(to));
  }

  body(): Uint8Array {
    this.#filled.add(unescaped(this.#rest));
    return this.#filled.whole();
  }
}

function unescaped(piece: Buffer): Uint8Array {
  if (!piece.includes(BACKSLASH)) return piece;
  return Buffer.from(JSON.parse(`"${piece.toString('utf8')}"`) as string);
}

/** Bytes of the longest escape, a pair of surrogates, but one. */
const LONGEST_CUT = 11;

/** Bytes at the end of a piece that only the next one completes: part of a letter, of an escape, or of a pair. */
function unfinished(piece: Buffer): number {
  const from = Math.max(0, piece.length - LONGEST_CUT - 1);
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

// A backslash behind an odd number of others is what they escape.
function isEscaped(piece: Buffer, at: number): boolean {
  let before = 0;
  while (piece[at - 1 - before] === BACKSLASH) before += 1;
  return before % 2 === 1;
}

class Base64Body implements Decoder {
  readonly #filled: Filled;
  #rest = '';

  constructor(bytes: number) {
    this.#filled = new Filled(bytes);
  }

  take(piece: Buffer): void {
    const joined = this.#rest + piece.toString('latin1');
    const to = joined.length - (joined.length % 4);
    this.#filled.add(Buffer.from(joined.slice(0, to), 'base64'));
    this.#rest = joined.slice(to);
  }

  body(): Uint8Array {
    this.#filled.add(Buffer.from(this.#rest, 'base64'));
    return this.#filled.whole();
  }
}
