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
