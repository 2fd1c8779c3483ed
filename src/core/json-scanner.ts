/** Bytes of a value or of a name with its quotes; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A name that an object gives more than once. */
export interface DuplicateName {
  /** Names and positions that lead to the object. */
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** Receives what a scan finds, even before the text turns out not to be JSON. */
export interface ScanVisitor {
  /** A member of the outermost object. */
  member?(name: Span, value: Span): void;
  /**
   * An element of the outermost array, whose name is null, or of an array that is a member of the outermost object,
   * before that member. The elements of one array have the same object as their name.
   */
  element?(from: number, to: number, name: Span | null): void;
  /** A name that an object, at any depth, has given before. */
  duplicate?(found: DuplicateName): void;
}

/** Why a text is not read: it is nested too deep, or stops being JSON at a byte. */
export type JsonFault = { readonly kind: 'too-deep' } | { readonly kind: 'not-json'; readonly at: number };

/**
 * Checks that a text is JSON (RFC 8259: one value and nothing after it) and reports where its outer values are. One
 * pass, without parsing values: memory does not depend on the text, except for `maxDepth`. Expects UTF-8.
 *
 * @param maxDepth arrays and objects within each other
 * @returns null if it is JSON
 */
export function scanJson(bytes: Buffer, maxDepth: number, visitor: ScanVisitor = {}): JsonFault | null {
  try {
    new Scan(bytes, maxDepth, visitor).run();
    return null;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

class FaultError extends Error {
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** Bytes that JSON is built of. */
export const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
const ZERO = 0x30;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const LITERALS = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const SIMPLE_ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS: ReadonlySet<number | undefined> = new Set(Buffer.from('0123456789abcdefABCDEF'));

/** Reads one text by recursive descent. */
class Scan {
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  readonly #visitor: ScanVisitor;
  #at = 0;
  /** The name of the member of the outermost object that is read now; null in an outermost array. */
  #name: Span | null = null;
  /** The names and positions of the values that are read now; names only for a visitor of duplicates. */
  readonly #path: (string | number)[] = [];

  constructor(bytes: Buffer, maxDepth: number, visitor: ScanVisitor) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
    this.#visitor = visitor;
  }

  run(): void {
    this.#skipBlanks();
    this.#readValue(0);
    if (this.#skipBlanks() !== undefined) this.#refuse();
  }

  /** @param depth arrays and objects around the value */
  #readValue(depth: number): void {
    const byte = this.#bytes[this.#at];
    if (byte === QUOTE) this.#readString();
    else if (byte === OPEN_OBJECT) this.#readObject(depth + 1);
    else if (byte === OPEN_ARRAY) this.#readArray(depth + 1);
    else if (isNumeric(byte)) this.#readNumber();
    else this.#readLiteral(byte);
  }

  #readObject(depth: number): void {
    if (!this.#open(depth, CLOSE_OBJECT)) return;
    const names = this.#visitor.duplicate === undefined ? null : new Set<string>();
    do {
      const name = this.#readName();
      if (names !== null) this.#noteName(name, names, depth);
      if (depth === 1) this.#name = name;
      this.#take(this.#skipBlanks() === COLON);
      this.#skipBlanks();
      const from = this.#at;
      this.#readValue(depth);
      if (depth === 1) this.#visitor.member?.(name, { from, to: this.#at });
    } while (this.#continues(CLOSE_OBJECT));
  }

  #readArray(depth: number): void {
    if (!this.#open(depth, CLOSE_ARRAY)) return;
    const isReported = depth === 1 || (depth === 2 && this.#name !== null);
    let index = 0;
    do {
      this.#path[depth - 1] = index++;
      this.#skipBlanks();
      const from = this.#at;
      this.#readValue(depth);
      if (isReported) this.#visitor.element?.(from, this.#at, this.#name);
    } while (this.#continues(CLOSE_ARRAY));
  }

  /** Whether anything is in the array or object that begins here. */
  #open(depth: number, closing: number): boolean {
    if (depth > this.#maxDepth) throw new FaultError({ kind: 'too-deep' });
    this.#at += 1;
    if (this.#skipBlanks() !== closing) return true;
    this.#at += 1;
    return false;
  }

  /** Whether a comma follows, and not the closing bracket. */
  #continues(closing: number): boolean {
    const byte = this.#skipBlanks();
    this.#take(byte === COMMA || byte === closing);
    return byte === COMMA;
  }

  #readName(): Span {
    if (this.#skipBlanks() !== QUOTE) this.#refuse();
    const from = this.#at;
    this.#readString();
    return { from, to: this.#at };
  }

  #noteName({ from, to }: Span, names: Set<string>, depth: number): void {
    const name = JSON.parse(this.#bytes.toString('utf8', from, to)) as string;
    if (names.has(name)) this.#visitor.duplicate?.({ path: this.#path.slice(0, depth - 1), name });
    names.add(name);
    this.#path[depth - 1] = name;
  }

  #readString(): void {
    this.#at += 1;
    for (let byte = this.#bytes[this.#at]; byte !== QUOTE; byte = this.#bytes[this.#at]) {
      this.#take(byte !== undefined && byte >= 0x20);
      if (byte === BACKSLASH) this.#readEscape();
    }
    this.#at += 1;
  }

  #readEscape(): void {
    const isCode = this.#bytes[this.#at] === 0x75;
    this.#take(isCode || SIMPLE_ESCAPES.has(this.#bytes[this.#at]));
    for (let digit = 0; isCode && digit < 4; digit += 1) this.#take(HEX_DIGITS.has(this.#bytes[this.#at]));
  }

  #readNumber(): void {
    if (this.#bytes[this.#at] === MINUS) this.#at += 1;
    if (this.#bytes[this.#at] === ZERO) this.#at += 1;
    else this.#readDigits();
    if (this.#bytes[this.#at] === DOT) {
      this.#at += 1;
      this.#readDigits();
    }
    if (!isExponent(this.#bytes[this.#at])) return;
    this.#at += 1;
    const sign = this.#bytes[this.#at];
    if (sign === PLUS || sign === MINUS) this.#at += 1;
    this.#readDigits();
  }

  #readDigits(): void {
    this.#take(isDigit(this.#bytes[this.#at]));
    while (isDigit(this.#bytes[this.#at])) this.#at += 1;
  }

  #readLiteral(first: number | undefined): void {
    const literal = LITERALS.find((word) => word[0] === first);
    if (literal === undefined) this.#refuse();
    for (const byte of literal) this.#take(this.#bytes[this.#at] === byte);
  }

  /** Goes on to the next byte if this one may be here. */
  #take(isAllowed: boolean): void {
    if (!isAllowed) this.#refuse();
    this.#at += 1;
  }

  /** Returns the next byte that is not blank. */
  #skipBlanks(): number | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (!isBlank(byte)) return byte;
      this.#at += 1;
    }
  }

  #refuse(): never {
    throw new FaultError({ kind: 'not-json', at: this.#at });
  }
}

/** Whether a byte is white space in JSON. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Whether a value that begins with this byte is a number. */
export function isNumeric(byte: number | undefined): boolean {
  return byte === MINUS || isDigit(byte);
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 0x39;
}

export function isExponent(byte: number | undefined): boolean {
  return byte === 0x65 || byte === 0x45;
}
