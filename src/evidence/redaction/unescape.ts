import { Buffer } from 'node:buffer';
import { bufferOf } from '../../core/exchange.ts';

/** Length of the longest escape of one byte: `&#x00000041;`. */
export const LONGEST_ESCAPE = 12;

/** The part of a text around its escapes with these undone, and the original offset of each byte. */
class Reading {
  readonly #bytes: Uint8Array;
  /** Byte `i` stands for the original bytes from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** Start of the part in the original. */
  readonly from: number;
  #length = 0;

  constructor(from: number, mostBytes: number) {
    this.from = from;
    this.#bytes = new Uint8Array(mostBytes);
    this.starts = new Uint32Array(mostBytes + 1);
  }

  add(byte: number, start: number): void {
    this.#bytes[this.#length] = byte;
    this.starts[this.#length] = start;
    this.#length += 1;
  }

  /** Closes the part; `end` is its end in the original. */
  end(end: number): void {
    this.starts[this.#length] = end;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

interface Kind {
  /** Matches the escapes in bytes read as Latin-1. */
  readonly pattern: RegExp;
  /** The bytes that an escape means; null if it is none. */
  readonly meaning: (written: string) => Iterable<number> | null;
}

const HEX = '[0-9a-fA-F]';
/** Four digits of a UTF-16 code unit after the mark, or a surrogate pair in this form. */
const unitsAfter = (mark: string): string =>
  `${mark}(?:[dD][89abAB]${HEX}{2}${mark}[dD][c-fC-F]${HEX}{2}|${HEX}{4})`;

/** `%41`, and `%u0041` as in JavaScript's escape() and older servers. */
const PERCENT = `${unitsAfter('%u')}|%${HEX}{2}`;
/** The escapes of JSON, and `\x41` as in logs and programs. */
const BACKSLASH = `${unitsAfter('\\\\u')}|\\\\x${HEX}{2}|\\\\["\\\\/bfnrt]`;
/** A folded header line: line breaks, all of a run, and the blanks at the start of the next line. */
const FOLD = '(?<![\\r\\n])[\\r\\n]+[ \\t]+';

const PERCENTS: Kind = { pattern: new RegExp(`${PERCENT}|${FOLD}`, 'g'), meaning: bytesOf };
const BACKSLASHES: Kind = { pattern: new RegExp(`${BACKSLASH}|${FOLD}`, 'g'), meaning: bytesOf };
const BOTH: Kind = { pattern: new RegExp(`${PERCENT}|${BACKSLASH}|${FOLD}`, 'g'), meaning: bytesOf };
const ENTITIES: Kind = {
  pattern: /&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,7});/g,
  meaning: (entity) => {
    const character = characterOf(entity);
    return character === null ? null : Buffer.from(character);
  },
};
/** `=41` and soft line breaks (RFC 2045, 6.7). */
const QUOTED_PRINTABLE: Kind = { pattern: new RegExp(`=(?:\\r?\\n|${HEX}{2})`, 'g'), meaning: bytesOf };

/**
 * All readings of a text with one layer of escapes undone: percent-encoding, the backslash escapes of JSON
 * and programs, or both, each with folded header lines; HTML entities; quoted-printable. These stay separate
 * because a secret may itself contain what looks like an escape of another kind.
 *
 * Bytes more than `reach` bytes before the first or after the last escape are left out: they are as in the text.
 */
export function readingsOf(source: Uint8Array, reach: number): readonly Reading[] {
  const bytes = bufferOf(source);
  const from = Math.min(...MARKS.map((mark) => bytes.indexOf(mark)).filter((at) => at !== -1));
  if (from === Infinity) return [];
  let to = Math.max(...MARKS.map((mark) => bytes.lastIndexOf(mark))) + LONGEST_ESCAPE;
  while (bytes[to] === BLANK || bytes[to] === TAB) to += 1;
  const text = bytes.toString('latin1', from, to);
  const percent = text.includes('%');
  const backslash = text.includes('\\');
  const kinds: Kind[] = [];
  if (percent) kinds.push(PERCENTS);
  if (backslash || (text.includes('\n') && !percent)) kinds.push(BACKSLASHES);
  if (percent && backslash) kinds.push(BOTH);
  if (text.includes('&')) kinds.push(ENTITIES);
  if (text.includes('=')) kinds.push(QUOTED_PRINTABLE);
  return kinds.map((kind) => unescaped(bytes, from, text, kind, reach)).filter((reading) => reading !== null);
}

const BLANK = 0x20;
const TAB = 0x09;
/** First bytes of escapes. */
const MARKS = ['%', '\\', '&', '=', '\r', '\n'].map((mark) => mark.charCodeAt(0));

/** The reading with the escapes of a kind undone; null if there are none. `text` holds all escapes, read as Latin-1. */
function unescaped(
  bytes: Buffer,
  from: number,
  text: string,
  { pattern, meaning }: Kind,
  reach: number,
): Reading | null {
  let reading: Reading | null = null;
  let at = 0;
  for (const { 0: written, index } of text.matchAll(pattern)) {
    const meant = meaning(written);
    if (meant === null) continue;
    const start = from + index;
    if (reading === null) {
      at = Math.max(0, start - reach);
      // No escape is shorter than its meaning.
      reading = new Reading(at, Math.min(bytes.length, from + text.length + reach) - at);
    }
    for (; at < start; at += 1) reading.add(bytes[at] ?? 0, at);
    for (const byte of meant) reading.add(byte, at);
    at += written.length;
  }
  if (reading === null) return null;
  const end = Math.min(bytes.length, at + reach);
  for (; at < end; at += 1) reading.add(bytes[at] ?? 0, at);
  reading.end(at);
  return reading;
}

/** What the letter after a backslash means. */
const SHORT_ESCAPES = new Map(
  [...'"\\/bfnrt'].map((letter) => [letter, [(JSON.parse(`"\\${letter}"`) as string).charCodeAt(0)]]),
);

/** The bytes that an escape means; none for a line break. */
function bytesOf(written: string): Iterable<number> {
  const mark = written[0];
  const letter = written[1] ?? '';
  const short = mark === '\\' ? SHORT_ESCAPES.get(letter) : undefined;
  if (short !== undefined) return short;
  if (letter === 'u') {
    const unit = Number.parseInt(written.slice(2, 6), 16);
    return unit < 0x80 ? [unit] : Buffer.from(JSON.parse(`"${written.replaceAll('%', '\\')}"`) as string);
  }
  // Line breaks and blanks are no digits.
  const byte = Number.parseInt(written.slice(-2), 16);
  return Number.isNaN(byte) ? [] : [byte];
}

/** Names of characters (HTML, 13.5), each list in order from its first character. Most encoders use few of them. */
const NAMES: readonly (readonly [first: string, names: string])[] = [
  ['!', 'excl quot num dollar percnt amp apos lpar rpar ast plus comma'],
  ['.', 'period sol'],
  [':', 'colon semi lt equals gt quest commat'],
  ['[', 'lsqb bsol rsqb Hat lowbar grave'],
  ['[', 'lbrack'],
  [']', 'rbrack'],
  ['{', 'lcub verbar rcub'],
  ['{', 'lbrace vert rbrace'],
  ['€', 'euro'],
  [
    '\u00a0',
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ],
];

const CHARACTERS: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(([first, names]) =>
    names.split(' ').map((name, index) => [name, String.fromCharCode(first.charCodeAt(0) + index)] as const),
  ),
);

/** The character that an entity such as `&amp;` or `&#x41;` denotes; null if there is none. */
export function characterOf(entity: string): string | null {
  const name = entity.slice(1, -1);
  if (!name.startsWith('#')) return CHARACTERS.get(name) ?? null;
  const code = Number(/^#x/i.test(name) ? `0x${name.slice(2)}` : name.slice(1));
  return code > 0x10ffff ? null : String.fromCodePoint(code);
}
