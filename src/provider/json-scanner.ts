/** A value that a scan reports. One object is used for all of them: read it during the call only. */
export interface ScannedValue {
  /** Bytes of the value; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Bytes of the name of the outermost object's member, quotes included; -1 where the outermost value is an array. */
  readonly nameFrom: number;
  readonly nameTo: number;
  /** Members of all objects within the value; without those of elements that were reported. */
  readonly members: number;
  /** Whether it holds a number of which a double may not keep every digit; likewise. */
  readonly hasUnusualNumbers: boolean;
}

export interface ScanVisitor {
  /** A member of the outermost object. */
  member?(value: ScannedValue): void;
  /** An element of the outermost array, or of an array that is a member of the outermost object, before that member. */
  element?(value: ScannedValue): void;
}

/** The result of a scan: JSON, nested too deep, or where the text stops being JSON. */
export type Scanned =
  /** `members`: those of all objects together. */
  | { readonly kind: 'json'; readonly members: number }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'not-json'; readonly at: number };

/** What may come next. */
type Expected = 'value' | 'first-element' | 'first-name' | 'name' | 'next';

/** Characters of a number up to which a double keeps all of its digits, unless it has an exponent. */
const USUAL_NUMBER = 15;

/**
 * Checks that a text is JSON (RFC 8259: one value and nothing after it) and reports where its outer values are. One
 * pass, without parsing anything: memory does not depend on the text, except for `maxDepth`. Expects UTF-8.
 *
 * @param maxDepth arrays and objects within each other
 */
export function scanJson(bytes: Uint8Array, maxDepth: number, visitor: ScanVisitor = {}): Scanned {
  const isObject = new Uint8Array(maxDepth + 1);
  const valueFrom = new Float64Array(3);
  const value = { from: 0, to: 0, nameFrom: -1, nameTo: -1, members: 0, hasUnusualNumbers: false };
  let nameFrom = -1;
  let nameTo = -1;
  let members = 0;
  let membersBefore = 0;
  let unusualNumbers = false;
  let expect: Expected = 'value' as Expected;
  let depth = 0;
  let at = 0;

  const complete = (to: number): void => {
    expect = 'next';
    if (depth === 0 || depth > 2) return;
    const inObject = isObject[1] === 1;
    const isElement = depth === 1 ? !inObject : inObject && isObject[2] === 0;
    if (depth === 2 && !isElement) return;
    value.from = valueFrom[depth] ?? 0;
    value.to = to;
    value.nameFrom = nameFrom;
    value.nameTo = nameTo;
    value.members = members - membersBefore;
    value.hasUnusualNumbers = unusualNumbers;
    if (isElement) visitor.element?.(value);
    else visitor.member?.(value);
    membersBefore = members;
    unusualNumbers = false;
  };

  for (;;) {
    at = afterBlanks(bytes, at);
    const byte = bytes[at];
    if (depth === 0 && expect === 'next')
      return byte === undefined ? { kind: 'json', members } : { kind: 'not-json', at };
    if (byte === undefined) return { kind: 'not-json', at };
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      const canClose = expect === 'next' || expect === 'first-name' || expect === 'first-element';
      if (!canClose || depth === 0 || isObject[depth] !== (byte === CLOSE_OBJECT ? 1 : 0))
        return { kind: 'not-json', at };
      depth -= 1;
      at += 1;
      complete(at);
    } else if (expect === 'next') {
      if (byte !== COMMA) return { kind: 'not-json', at };
      expect = isObject[depth] === 1 ? 'name' : 'value';
      at += 1;
    } else if (expect === 'name' || expect === 'first-name') {
      const end = byte === QUOTE ? stringEnd(bytes, at) : -at - 1;
      if (end < 0) return { kind: 'not-json', at: -end - 1 };
      members += 1;
      if (depth === 1) {
        nameFrom = at;
        nameTo = end;
        membersBefore = members;
      }
      at = afterBlanks(bytes, end);
      if (bytes[at] !== COLON) return { kind: 'not-json', at };
      expect = 'value';
      at += 1;
    } else {
      if (depth < 3) valueFrom[depth] = at;
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (depth === maxDepth) return { kind: 'too-deep' };
        depth += 1;
        isObject[depth] = byte === OPEN_OBJECT ? 1 : 0;
        expect = byte === OPEN_OBJECT ? 'first-name' : 'first-element';
        at += 1;
      } else {
        const end = byte === QUOTE ? stringEnd(bytes, at) : scalarEnd(bytes, at, byte);
        if (end < 0) return { kind: 'not-json', at: -end - 1 };
        if (isNumeric(byte) && (end - at > USUAL_NUMBER || hasExponent(bytes, at, end)))
          unusualNumbers = true;
        at = end;
        complete(at);
      }
    }
  }
}

/** Bytes that JSON is built of. */
const QUOTE = 0x22;
const MINUS = 0x2d;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LITERALS = ['true', 'false', 'null'].map((word) => [...Buffer.from(word)]);

function afterBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; ) {
    at += 1;
    byte = bytes[at];
  }
  return at;
}

// The end of a number or a literal that begins with that byte; where it goes wrong at `at`, -at - 1.
function scalarEnd(bytes: Uint8Array, from: number, byte: number): number {
  if (isNumeric(byte)) return numberEnd(bytes, from);
  const literal = LITERALS.find(([first]) => first === byte);
  if (literal === undefined) return -from - 1;
  const wrong = literal.findIndex((wanted, index) => bytes[from + index] !== wanted);
  return wrong < 0 ? from + literal.length : -(from + wrong) - 1;
}

function stringEnd(bytes: Uint8Array, from: number): number {
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

function numberEnd(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
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

/** Whether a value that begins with this byte is a number. */
export function isNumeric(byte: number): boolean {
  return byte === MINUS || isDigit(byte);
}

/**
 * Whether a number begins at this offset that may lose digits as a double. The bytes must be valid JSON; otherwise the
 * result has no meaning.
 */
export function isUnusualNumber(bytes: Uint8Array, from: number): boolean {
  if (!isNumeric(bytes[from] ?? 0)) return false;
  const end = numberEnd(bytes, from);
  return end < 0 || end - from > USUAL_NUMBER || hasExponent(bytes, from, end);
}

function hasExponent(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (((bytes[at] as number) | 0x20) === 0x65) return true;
  return false;
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
