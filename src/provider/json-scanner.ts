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
  return new Scan(bytes, maxDepth, visitor).run();
}

class Scan {
  readonly #bytes: Uint8Array;
  readonly #maxDepth: number;
  readonly #visitor: ScanVisitor;
  /** For each depth, from 1, whether the array or object that is open there is an object. */
  readonly #isObject: Uint8Array;
  /** For each depth up to 2, where the last value began. */
  readonly #valueFrom = new Float64Array(3);
  readonly #value = { from: 0, to: 0, nameFrom: -1, nameTo: -1, members: 0, hasUnusualNumbers: false };
  #nameFrom = -1;
  #nameTo = -1;
  #members = 0;
  #membersBefore = 0;
  #hasUnusualNumbers = false;
  #expected: Expected = 'value';
  #depth = 0;
  #at = 0;
  #isTooDeep: boolean = false;

  constructor(bytes: Uint8Array, maxDepth: number, visitor: ScanVisitor) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
    this.#visitor = visitor;
    this.#isObject = new Uint8Array(maxDepth + 1);
  }

  run(): Scanned {
    for (;;) {
      this.#at = afterBlanks(this.#bytes, this.#at);
      const byte = this.#bytes[this.#at];
      const isEnd = this.#depth === 0 && this.#expected === 'next';
      if (isEnd && byte === undefined) return { kind: 'json', members: this.#members };
      if (isEnd || byte === undefined || !this.#read(byte))
        return this.#isTooDeep ? { kind: 'too-deep' } : { kind: 'not-json', at: this.#at };
    }
  }

  /** Reads what begins with that byte. Returns false if it must not come next; then it has advanced to where that shows. */
  #read(byte: number): boolean {
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return this.#close(byte);
    if (this.#expected === 'next') return this.#separate(byte);
    if (this.#expected === 'name' || this.#expected === 'first-name') return this.#readName(byte);
    if (this.#depth < 3) this.#valueFrom[this.#depth] = this.#at;
    return byte === OPEN_OBJECT || byte === OPEN_ARRAY ? this.#open(byte) : this.#readScalar(byte);
  }

  #open(byte: number): boolean {
    if (this.#depth === this.#maxDepth) {
      this.#isTooDeep = true;
      return false;
    }
    this.#depth += 1;
    this.#isObject[this.#depth] = byte === OPEN_OBJECT ? 1 : 0;
    this.#expected = byte === OPEN_OBJECT ? 'first-name' : 'first-element';
    this.#at += 1;
    return true;
  }

  #close(byte: number): boolean {
    const canClose =
      this.#expected === 'next' || this.#expected === 'first-name' || this.#expected === 'first-element';
    if (!canClose || this.#depth === 0 || this.#isObject[this.#depth] !== (byte === CLOSE_OBJECT ? 1 : 0))
      return false;
    this.#depth -= 1;
    this.#at += 1;
    this.#complete();
    return true;
  }

  #separate(byte: number): boolean {
    if (byte !== COMMA) return false;
    this.#expected = this.#isObject[this.#depth] === 1 ? 'name' : 'value';
    this.#at += 1;
    return true;
  }

  #readName(byte: number): boolean {
    const from = this.#at;
    if (!this.#advance(byte === QUOTE ? stringEnd(this.#bytes, from) : -from - 1)) return false;
    this.#members += 1;
    if (this.#depth === 1) {
      this.#nameFrom = from;
      this.#nameTo = this.#at;
      this.#membersBefore = this.#members;
    }
    this.#at = afterBlanks(this.#bytes, this.#at);
    if (this.#bytes[this.#at] !== COLON) return false;
    this.#expected = 'value';
    this.#at += 1;
    return true;
  }

  #readScalar(byte: number): boolean {
    const from = this.#at;
    const end = byte === QUOTE ? stringEnd(this.#bytes, from) : scalarEnd(this.#bytes, from, byte);
    if (!this.#advance(end)) return false;
    if (isNumeric(byte) && (end - from > USUAL_NUMBER || hasExponent(this.#bytes, from, end)))
      this.#hasUnusualNumbers = true;
    this.#complete();
    return true;
  }

  /** @param end where a string, number or literal ends; -at - 1 if it goes wrong at `at` */
  #advance(end: number): boolean {
    this.#at = end < 0 ? -end - 1 : end;
    return end >= 0;
  }

  /** Reports the value that has just ended if it is a member or an element that is reported. */
  #complete(): void {
    this.#expected = 'next';
    if (this.#depth === 0 || this.#depth > 2) return;
    const inObject = this.#isObject[1] === 1;
    const isElement = this.#depth === 1 ? !inObject : inObject && this.#isObject[2] === 0;
    if (this.#depth === 2 && !isElement) return;
    const value = this.#value;
    value.from = this.#valueFrom[this.#depth] ?? 0;
    value.to = this.#at;
    value.nameFrom = this.#nameFrom;
    value.nameTo = this.#nameTo;
    value.members = this.#members - this.#membersBefore;
    value.hasUnusualNumbers = this.#hasUnusualNumbers;
    if (isElement) this.#visitor.element?.(value);
    else this.#visitor.member?.(value);
    this.#membersBefore = this.#members;
    this.#hasUnusualNumbers = false;
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
