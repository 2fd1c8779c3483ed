import { Buffer } from 'node:buffer';

/** A range of a text with its escapes undone, and the original offset of each byte. */
interface Unescaped {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Byte `i` stands for the original bytes from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** The range in the original. */
  readonly from: number;
  readonly to: number;
}

interface Escape {
  readonly bytes: readonly number[];
  /** Length of the escape in the original, in bytes. */
  readonly width: number;
}

/** Reads the escape at an offset; null if there is none. */
type Kind = (source: Buffer, at: number) => Escape | null;

/** Kinds of escape by first byte; null for a byte that begins no escape. */
type Kinds = readonly (Kind | null)[];

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const CR = 0x0d;
const LF = 0x0a;
const LOWER_U = 0x75;
const LOWER_X = 0x78;

/**
 * All readings of a text with one layer of escapes undone: percent-encoding, the backslash escapes of JSON
 * and programs, or both, each with folded header lines; HTML entities; quoted-printable. These stay separate
 * because a secret may itself contain what looks like an escape of another kind.
 *
 * Bytes at least `reach` bytes away from every escape are left out: they are the same in all readings.
 */
export function readingsOf(source: Uint8Array, reach: number): readonly Unescaped[] {
  const text = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const percent = text.includes(PERCENT);
  const backslash = text.includes(BACKSLASH);
  const readings: Unescaped[] = [];
  if (percent || backslash || text.includes(LF)) {
    const kinds = percent && backslash ? [BOTH, PERCENTS, BACKSLASHES] : [percent ? PERCENTS : BACKSLASHES];
    for (const range of escapeRanges(text, reach, FIRST_BYTES))
      readings.push(...kinds.map((kind) => unescaped(text, range, kind)));
  }
  for (const [byte, kind] of SEPARATE_KINDS)
    for (const range of escapeRanges(text, reach, [byte], (at) => kind(text, at) !== null))
      readings.push(unescaped(text, range, kindsOf([[byte, kind]])));
  return readings;
}

function unescaped(source: Buffer, { from, to }: Range, kinds: Kinds): Unescaped {
  const bytes = new Uint8Array(to - from);
  const starts = new Uint32Array(to - from + 1);
  let length = 0;
  let at = from;
  while (at < to) {
    const byte = source[at] ?? 0;
    // A run of line breaks folds as a whole or not at all, so only the first one is examined.
    const isLater = isBreak(byte) && at > from && isBreak(source[at - 1]);
    const found = byte > BACKSLASH || isLater ? null : (kinds[byte]?.(source, at) ?? null);
    if (found === null) {
      bytes[length] = byte;
      starts[length] = at;
      length += 1;
      at += 1;
      continue;
    }
    for (const decoded of found.bytes) {
      bytes[length] = decoded;
      starts[length] = at;
      length += 1;
    }
    at += found.width;
  }
  starts[length] = at;
  return { bytes, length, starts, from, to };
}

// `%41`, and `%u0041` as in JavaScript's escape() and older servers.
function percentAt(source: Buffer, at: number): Escape | null {
  if (source[at + 1] === LOWER_U) return unitsAt(source, at, PERCENT);
  const value = hexAt(source, at + 1, 2);
  return value === null ? null : { bytes: [value], width: 3 };
}

const SIMPLE: { readonly [letter: string]: number } = {
  '"': 0x22,
  '\\': 0x5c,
  '/': 0x2f,
  b: 8,
  f: 12,
  n: LF,
  r: CR,
  t: 9,
};

// JSON escapes, and `\x41` as in logs and programs.
function backslashAt(source: Buffer, at: number): Escape | null {
  const letter = source[at + 1] ?? 0;
  const simple = SIMPLE[String.fromCharCode(letter)];
  if (simple !== undefined) return { bytes: [simple], width: 2 };
  if (letter === LOWER_U) return unitsAt(source, at, BACKSLASH);
  const value = letter === LOWER_X ? hexAt(source, at + 2, 2) : null;
  return value === null ? null : { bytes: [value], width: 4 };
}

/** A UTF-16 code unit after the mark and `u`, or a surrogate pair in this form. */
function unitsAt(source: Buffer, at: number, mark: number): Escape | null {
  const unit = hexAt(source, at + 2, 4);
  if (unit === null) return null;
  if (unit < 0x80) return { bytes: [unit], width: 6 };
  const low = source[at + 6] === mark && source[at + 7] === LOWER_U ? hexAt(source, at + 8, 4) : null;
  const isPair = unit >= 0xd800 && unit < 0xdc00 && low !== null && low >= 0xdc00 && low < 0xe000;
  const text = isPair ? String.fromCharCode(unit, low) : String.fromCharCode(unit);
  return { bytes: [...Buffer.from(text)], width: isPair ? 12 : 6 };
}

// A folded header line: a line break and the blanks at the start of the next line.
function foldAt(source: Buffer, at: number): Escape | null {
  let end = at;
  while (isBreak(source[end])) end += 1;
  const afterBreak = end;
  while (source[end] === 0x20 || source[end] === 0x09) end += 1;
  return end === afterBreak ? null : { bytes: [], width: end - at };
}

function entityAt(source: Buffer, at: number): Escape | null {
  const entity = entityIn(source.toString('latin1', at, at + LONGEST_ENTITY));
  return entity === null ? null : { bytes: [...Buffer.from(entity.character)], width: entity.length };
}

// `=41` and soft line breaks (RFC 2045, 6.7).
function quotedPrintableAt(source: Buffer, at: number): Escape | null {
  if (source[at + 1] === LF) return { bytes: [], width: 2 };
  if (source[at + 1] === CR && source[at + 2] === LF) return { bytes: [], width: 3 };
  const value = hexAt(source, at + 1, 2);
  return value === null ? null : { bytes: [value], width: 3 };
}

const FOLDS: readonly (readonly [number, Kind])[] = [
  [CR, foldAt],
  [LF, foldAt],
];
const PERCENTS = kindsOf([[PERCENT, percentAt], ...FOLDS]);
const BACKSLASHES = kindsOf([[BACKSLASH, backslashAt], ...FOLDS]);
const BOTH = kindsOf([[PERCENT, percentAt], [BACKSLASH, backslashAt], ...FOLDS]);
const FIRST_BYTES = [PERCENT, BACKSLASH, CR, LF];
/** Kinds that are undone separately. */
const SEPARATE_KINDS: readonly (readonly [number, Kind])[] = [
  [AMPERSAND, entityAt],
  [EQUALS, quotedPrintableAt],
];

function kindsOf(kinds: readonly (readonly [first: number, kind: Kind])[]): Kinds {
  const byFirst: (Kind | null)[] = new Array(256).fill(null);
  for (const [first, kind] of kinds) byFirst[first] = kind;
  return byFirst;
}

function hexAt(source: Uint8Array, at: number, digits: number): number | null {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = hexDigit(source[index] ?? 0);
    if (digit === -1) return null;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Part of a text in bytes; `to` is exclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const SPACE = 0x20;
const TAB = 0x09;

/** Length of the longest escape in bytes, without folded lines: a surrogate pair. */
const LONGEST = 12;

/** A text with more than FEW escapes plus one per BYTES_FOR_ONE bytes counts as full of escapes. */
const FEW = 64;
const BYTES_FOR_ONE = 128;

/** Names of ASCII characters (HTML, 13.5). Most encoders use only the first five. */
const ASCII: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  excl: '!',
  num: '#',
  dollar: '$',
  percnt: '%',
  lpar: '(',
  rpar: ')',
  ast: '*',
  plus: '+',
  comma: ',',
  period: '.',
  sol: '/',
  colon: ':',
  semi: ';',
  equals: '=',
  quest: '?',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  bsol: '\\',
  rsqb: ']',
  rbrack: ']',
  Hat: '^',
  lowbar: '_',
  grave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  rcub: '}',
  rbrace: '}',
  euro: '€',
};

/** Names of the characters U+00A0 to U+00FF, in order. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ASCII),
  ...LATIN_1.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
]);

/** Length of the longest supported entity in characters. */
export const LONGEST_ENTITY = 12;

const ENTITY = /^&(?:#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z][A-Za-z0-9]{1,7}));/;

/**
 * The entity at the start of a text and the character it denotes; null if the text does not start with one.
 */
export function entityIn(text: string): { readonly length: number; readonly character: string } | null {
  const [whole, decimal, hexadecimal, name] = ENTITY.exec(text) ?? [];
  if (whole === undefined) return null;
  if (name !== undefined) {
    const character = CHARACTERS.get(name);
    return character === undefined ? null : { length: whole.length, character };
  }
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  return code > 0x10ffff ? null : { length: whole.length, character: String.fromCodePoint(code) };
}

/**
 * The ranges of a text within `reach` bytes of an escape, or of a line break with the blanks after it. They
 * are sorted and do not overlap. If the text is full of escapes, the last range extends to its end.
 *
 * @param reach distance in bytes
 * @param marks bytes that may begin an escape
 * @param isEscape whether the mark at a position begins an escape
 */
export function escapeRanges(
  text: Buffer,
  reach: number,
  marks: readonly number[],
  isEscape: (at: number) => boolean = () => true,
): readonly Range[] {
  const ranges: Range[] = [];
  const nextOf = (byte: number, from: number): number => {
    let at = text.indexOf(byte, from);
    while (at !== -1 && !isEscape(at)) at = text.indexOf(byte, at + 1);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  const next = marks.map((byte) => ({ byte, at: nextOf(byte, 0) }));
  let from = 0;
  let to = Number.NEGATIVE_INFINITY;
  for (let seen = 0; ; seen += 1) {
    const at = Math.min(...next.map((one) => one.at));
    if (at - reach > to) {
      if (to > 0) ranges.push({ from, to: Math.min(to, text.length) });
      if (at === Number.POSITIVE_INFINITY) return ranges;
      from = Math.max(0, at - reach);
    }
    if (seen > FEW + at / BYTES_FOR_ONE) return [...ranges, { from, to: text.length }];
    to = Math.max(to, endOf(text, at) + reach);
    for (const one of next) if (one.at === at) one.at = nextOf(one.byte, at + 1);
  }
}

function endOf(text: Buffer, at: number): number {
  const byte = text[at];
  if (!isBreak(byte)) return at + LONGEST;
  // The first line break of a run has already determined the end.
  if (isBreak(text[at - 1])) return at;
  let end = at;
  while (isBreak(text[end])) end += 1;
  while (text[end] === SPACE || text[end] === TAB) end += 1;
  return end;
}

function isBreak(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}
