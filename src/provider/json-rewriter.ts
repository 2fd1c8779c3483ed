import { Buffer } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  isDigit,
  isNumeric,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  scanJson,
} from '../core/json-scanner.ts';
import { parsedJson } from '../core/json-text.ts';
import { sha256 } from '../core/sha256.ts';

export interface JsonPosition {
  /** Arrays and objects around it. */
  readonly depth: number;
  /** The nearest member name around it; null if there is none. */
  readonly name: string | null;
  /** Whether it is the value of that member itself. */
  readonly isMember: boolean;
}

/** Replacements for values; null keeps a value as it is written. */
interface Rewriting {
  readonly text: (value: string, place: JsonPosition) => string | null;
  readonly number: (place: JsonPosition, written: string) => string | null;
  /** Names of members are kept if it is left out. */
  readonly name?: (name: string) => string | null;
  /** Bytes of the longest string that is read; a longer one is given as its hash. */
  readonly maxStringBytes: number;
}

interface Level {
  readonly object: boolean;
  /** The nearest member name around its values. */
  name: string | null;
}

/** Arrays and objects within each other that limits.maxJsonDepth may at most allow. */
const DEEPEST = 1000;
/** Characters that are collected before they are encoded. */
const PIECE = 65_536;
/** Kept text of at least this many bytes becomes a part of its own. Shorter text is collected, to limit the number of parts. */
const MIN_PART = 4096;

/**
 * Replaces values in a JSON text and keeps everything else as it is written: blanks, doubled members, digits of
 * numbers. Invalid JSON stays invalid: a truncated string stays truncated, a string that JSON does not allow stays so.
 * Takes little more memory than the text and the result.
 */
export function rewritten(text: Buffer, rewriting: Rewriting): Buffer {
  const levels = new Levels();
  const made = new Made();
  let at = 0;
  // Start of the text that is kept and not copied yet.
  let kept = 0;
  const replace = (end: number, replacement: string | null): void => {
    if (replacement !== null) {
      made.copy(text.subarray(kept, at));
      made.write(replacement);
      kept = end;
    }
    at = end;
  };
  while (at < text.length) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) {
      const end = endOf(text, at);
      const literal = text.subarray(at, end);
      const { object } = levels;
      if (object !== null && isBeforeColon(text, end)) {
        object.name = literal.length > rewriting.maxStringBytes ? '' : (stringIn(literal) ?? '');
        const shown = rewriting.name?.(object.name) ?? null;
        replace(end, shown === null ? null : literalOf(shown));
      } else replace(end, replaced(literal, rewriting, levels.position));
    } else if (isNumeric(byte)) {
      const end = numberEnd(text, at);
      replace(end, rewriting.number(levels.position, text.toString('latin1', at, end)));
    } else {
      levels.follow(byte);
      at += 1;
    }
  }
  made.copy(text.subarray(kept));
  return made.whole();
}

/** The arrays and objects around a byte, the outermost first. */
class Levels {
  readonly #levels: Level[] = [];
  /** Deeper ones are only counted, since nothing reads them. */
  #beyond = 0;

  /** The object whose member the byte belongs to; null if an array in it is nearer. */
  get object(): Level | null {
    const level = this.#levels.at(-1);
    return level?.object === true && this.#beyond === 0 ? level : null;
  }

  get position(): JsonPosition {
    const name = this.#levels.at(-1)?.name ?? null;
    return { depth: this.#levels.length + this.#beyond, name, isMember: this.object !== null };
  }

  /** To be called for each byte that is no part of a string. */
  follow(byte: number): void {
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (this.#levels.length === DEEPEST) this.#beyond += 1;
      else this.#levels.push({ object: byte === OPEN_OBJECT, name: this.#levels.at(-1)?.name ?? null });
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      if (this.#beyond > 0) this.#beyond -= 1;
      else this.#levels.pop();
    }
  }
}

/** The result as bytes: strings joined letter by letter would take many times the memory. */
class Made {
  readonly #parts: Buffer[] = [];
  #piece = '';

  /** Adds letters, one byte each. */
  write(letters: string): void {
    this.#piece += letters;
    if (this.#piece.length >= PIECE) this.#flush();
  }

  copy(bytes: Buffer): void {
    if (bytes.length < MIN_PART) this.write(bytes.toString('latin1'));
    else {
      this.#flush();
      this.#parts.push(bytes);
    }
  }

  whole(): Buffer {
    this.#flush();
    return Buffer.concat(this.#parts);
  }

  #flush(): void {
    this.#parts.push(Buffer.from(this.#piece, 'latin1'));
    this.#piece = '';
  }
}

function replaced(literal: Buffer, { text, maxStringBytes }: Rewriting, place: JsonPosition): string | null {
  const long = literal.length > maxStringBytes;
  const value = long ? sha256(literal) : stringIn(literal);
  const replacement = text(value ?? literal.toString('latin1'), place);
  if (replacement === null) return null;
  const whole = long ? scanJson(literal, 1) === null : value !== null;
  const made = literalOf(replacement);
  if (whole) return made;
  const open = made.slice(0, -1);
  const cut = literal.length === 1 || literal.at(-1) !== QUOTE;
  // A control character is not allowed in a JSON string. It is kept, so that an invalid string stays invalid.
  return cut ? open : `${open}\u0001"`;
}

/** A string as JSON, one letter for each byte of it. */
function literalOf(text: string): string {
  return Buffer.from(JSON.stringify(text)).toString('latin1');
}

function stringIn(literal: Buffer): string | null {
  return (parsedJson(literal.toString('utf8')) as string | undefined) ?? null;
}

/** Whether a colon comes next, after blanks, or control characters, which JSON does not allow there. */
function isBeforeColon(text: Buffer, from: number): boolean {
  let at = from;
  while (at < text.length && (text[at] ?? 0) <= 0x20) at += 1;
  return text[at] === COLON;
}

// A quote ends the string unless an odd number of backslashes is before it.
function endOf(text: Buffer, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

// All characters of numbers after the first digit, in any order.
function numberEnd(text: Buffer, from: number): number {
  let at = from + 1;
  if (text[from] === MINUS && !isDigit(text[at])) return at;
  while (isDigit(text[at]) || NUMERIC.has(text[at] ?? 0)) at += 1;
  return at;
}

const NUMERIC: ReadonlySet<number> = new Set(Buffer.from('.eE+-'));
