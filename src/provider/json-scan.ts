/** What a scan meets on its way; positions are bytes, ends are exclusive. */
export interface ScanVisitor {
  /** A member of the outermost object: where its name, quotes included, and its value stand. */
  member?(nameFrom: number, nameTo: number, valueFrom: number, valueTo: number): void;
  /**
   * An element of the outermost array (`nameFrom` is then -1), or of an array that is a member of the outermost
   * object; before that member itself is reported.
   */
  element?(from: number, to: number, nameFrom: number, nameTo: number): void;
}

/** What a scan found: JSON, something nested too deep, or where the text stops being JSON. */
export type Scanned =
  | { readonly kind: 'json' }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'not-json'; readonly at: number };

/** What may stand next. */
type Expected = 'value' | 'first-element' | 'first-name' | 'name' | 'colon' | 'next';

/**
 * Reads a text byte by byte as RFC 8259 has JSON, one value and nothing after it, in one pass and without making
 * anything of it: what it takes does not depend on what is read. Expects UTF-8.
 */
export function scanJson(bytes: Uint8Array, maxDepth: number, visitor: ScanVisitor = {}): Scanned {
  const isObject = new Uint8Array(maxDepth + 1);
  const valueFrom = new Float64Array(3);
  let nameFrom = -1;
  let nameTo = -1;
  let expect: Expected = 'value' as Expected;
  let depth = 0;
  let at = 0;

  const complete = (to: number): void => {
    expect = 'next';
    const from = valueFrom[depth] ?? 0;
    if (depth === 1 && isObject[1] === 1) visitor.member?.(nameFrom, nameTo, from, to);
    else if (depth === 1) visitor.element?.(from, to, -1, -1);
    else if (depth === 2 && isObject[2] === 0 && isObject[1] === 1)
      visitor.element?.(from, to, nameFrom, nameTo);
  };

  for (;;) {
    at = afterBlanks(bytes, at);
    if (depth === 0 && expect === 'next')
      return at === bytes.length ? { kind: 'json' } : { kind: 'not-json', at };
    const byte = bytes[at];
    if (byte === undefined) return { kind: 'not-json', at };
    const closes = byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
    if (closes) {
      const empty = expect === 'first-name' || expect === 'first-element';
      const fits = depth > 0 && isObject[depth] === (byte === CLOSE_OBJECT ? 1 : 0);
      if (!fits || !(empty || expect === 'next')) return { kind: 'not-json', at };
      depth -= 1;
      at += 1;
      complete(at);
      continue;
    }
    switch (expect) {
      case 'next':
        if (byte !== COMMA) return { kind: 'not-json', at };
        expect = isObject[depth] === 1 ? 'name' : 'value';
        at += 1;
        break;
      case 'colon':
        if (byte !== COLON) return { kind: 'not-json', at };
        expect = 'value';
        at += 1;
        break;
      case 'first-name':
      case 'name': {
        const end = byte === QUOTE ? stringEnd(bytes, at) : -at - 1;
        if (end < 0) return { kind: 'not-json', at: -end - 1 };
        if (depth === 1) {
          nameFrom = at;
          nameTo = end;
        }
        expect = 'colon';
        at = end;
        break;
      }
      default: {
        if (depth < 3) valueFrom[depth] = at;
        if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
          if (depth === maxDepth) return { kind: 'too-deep' };
          depth += 1;
          isObject[depth] = byte === OPEN_OBJECT ? 1 : 0;
          expect = byte === OPEN_OBJECT ? 'first-name' : 'first-element';
          at += 1;
          break;
        }
        const end = scalarEnd(bytes, at, byte);
        if (end < 0) return { kind: 'not-json', at: -end - 1 };
        at = end;
        complete(at);
      }
    }
  }
}

/** Bytes that JSON is built of. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const LITERALS = ['true', 'false', 'null'].map((word) => [...Buffer.from(word)]);

/** The first place from there on that is no blank. */
export function afterBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; ) {
    at += 1;
    byte = bytes[at];
  }
  return at;
}

/** The end of a string, a number or a literal that begins with that byte; where it goes wrong at `at`, -at - 1. */
export function scalarEnd(bytes: Uint8Array, from: number, byte: number): number {
  if (byte === QUOTE) return stringEnd(bytes, from);
  if (byte === 0x2d || isDigit(byte)) return numberEnd(bytes, from);
  const literal = LITERALS.find(([first]) => first === byte);
  if (literal === undefined) return -from - 1;
  const wrong = literal.findIndex((wanted, index) => bytes[from + index] !== wanted);
  return wrong < 0 ? from + literal.length : -(from + wrong) - 1;
}

/** The same of a string. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined || byte < 0x20) return -at - 1;
    if (byte !== BACKSLASH) continue;
    at += 1;
    const letter = bytes[at] ?? 0;
    if (letter === 0x75) {
      for (const end = at + 4; at < end; ) {
        at += 1;
        if (!isHex(bytes[at] ?? 0)) return -at - 1;
      }
    } else if (!SIMPLE_ESCAPES.has(letter)) return -at - 1;
  }
}

const SIMPLE_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

/** The same of a number. */
export function numberEnd(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  if (!isDigit(bytes[at])) return -at - 1;
  at = bytes[at] === 0x30 ? at + 1 : afterDigits(bytes, at);
  if (bytes[at] === 0x2e) {
    if (!isDigit(bytes[at + 1])) return -(at + 1) - 1;
    at = afterDigits(bytes, at + 1);
  }
  if (((bytes[at] ?? 0) | 0x20) !== 0x65) return at;
  at += bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d ? 2 : 1;
  return isDigit(bytes[at]) ? afterDigits(bytes, at) : -at - 1;
}

function afterDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
