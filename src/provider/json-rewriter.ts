import { Buffer } from 'node:buffer';
import { sha256 } from '../core/sha256.ts';
import { isDigit, isNumeric, scanJson } from './json-scanner.ts';

/** The position of a value. */
export interface Place {
  /** Arrays and objects around it. */
  readonly depth: number;
  /** The nearest member name around it; null if there is none. */
  readonly name: string | null;
}

/** Replacements for values; null keeps a value as it is written. */
export interface Rewriting {
  /** Has to return ASCII letters and digits. */
  readonly text: (value: string, place: Place) => string | null;
  readonly number: (place: Place) => string | null;
}

interface Level {
  readonly object: boolean;
  /** The nearest member name around its values. */
  name: string | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Arrays and objects within each other that limits.maxJsonDepth may at most allow. */
const DEEPEST = 1000;
/** Characters that are collected before they are encoded. */
const PIECE = 65_536;
/** Bytes from which kept text is not collected: fewer would make too many parts. */
const MIN_PART = 4096;
/** Bytes of the longest string that is read; a longer one is replaced by its hash. */
const MAX_VALUE_CHARACTERS = 65_536;

/**
 * Replaces values in a JSON text and keeps everything else as it is written: names, blanks, doubled members, digits of
 * numbers. Invalid JSON stays invalid: a truncated string stays truncated, a string that JSON does not allow stays so.
 * Takes little more memory than the text and the result.
 */
export function rewritten(text: Buffer, rewriting: Rewriting): Buffer {
  const levels: Level[] = [];
  const made = new Made();
  let at = 0;
  // Deeper levels are only counted, since nothing reads them.
  let beyond = 0;
  const place = (): Place => ({ depth: levels.length + beyond, name: levels.at(-1)?.name ?? null });
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
      const level = levels.at(-1);
      if (level?.object === true && beyond === 0 && /^\s*:/.test(text.toString('latin1', end, end + 64))) {
        level.name = literal.length > MAX_VALUE_CHARACTERS ? '' : (stringIn(literal) ?? '');
        at = end;
      } else replace(end, replaced(literal, rewriting, place()));
    } else if (isNumeric(byte)) {
      replace(numberEnd(text, at), rewriting.number(place()));
    } else {
      if (byte === 0x5b || byte === 0x7b) {
        if (levels.length === DEEPEST) beyond += 1;
        else levels.push({ object: byte === 0x7b, name: levels.at(-1)?.name ?? null });
      } else if (byte === 0x5d || byte === 0x7d) {
        if (beyond > 0) beyond -= 1;
        else levels.pop();
      }
      at += 1;
    }
  }
  made.copy(text.subarray(kept));
  return made.whole();
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

function replaced(literal: Buffer, { text }: Rewriting, place: Place): string | null {
  const long = literal.length > MAX_VALUE_CHARACTERS;
  const value = long ? sha256(literal) : stringIn(literal);
  const replacement = text(value ?? literal.toString('latin1'), place);
  if (replacement === null) return null;
  const whole = long ? scanJson(literal, 1) === null : value !== null;
  if (whole) return `"${replacement}"`;
  const cut = literal.length === 1 || literal.at(-1) !== QUOTE;
  // A control character, which no JSON string may hold, keeps the string as wrong as it was.
  return cut ? `"${replacement}` : `"${replacement}\u0001"`;
}

function stringIn(literal: Buffer): string | null {
  try {
    return JSON.parse(literal.toString('utf8')) as string;
  } catch {
    return null;
  }
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

const MINUS = 0x2d;

// All characters of numbers after the first digit, in any order.
function numberEnd(text: Buffer, from: number): number {
  let at = from + 1;
  if (text[from] === MINUS && !isDigit(text[at])) return at;
  while (isDigit(text[at]) || NUMERIC.has(text[at] ?? 0)) at += 1;
  return at;
}

const NUMERIC: ReadonlySet<number> = new Set(Buffer.from('.eE+-'));
