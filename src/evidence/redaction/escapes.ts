import type { Buffer } from 'node:buffer';

/** Part of a text in bytes; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const CR = 0x0d;
const LF = 0x0a;
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

/** Whether a byte is CR or LF. */
export function isBreak(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}
