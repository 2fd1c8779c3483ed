import { Buffer } from 'node:buffer';
import { isBreak, stretchesOf } from './stretches.ts';

/** A stretch of a text with its escapes undone, and where each byte of it stood. */
export interface Unescaped {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** `starts[i]` to `starts[i + 1]` is the stretch of the original that byte `i` stands for. */
  readonly starts: Uint32Array;
  /** The stretch of the original. */
  readonly from: number;
  readonly to: number;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const CR = 0x0d;
const LF = 0x0a;

/** Which kinds of escape are undone. */
interface Kinds {
  readonly percent: boolean;
  readonly backslash: boolean;
}

/**
 * Every reading of a text in which some of its escapes are undone, one layer deep and wherever they stand:
 * percent-encoding, the backslash escapes of JSON, or both, and the folding of header lines in each. They are
 * kept apart because a secret may itself hold what looks like an escape of the other kind.
 *
 * What stands `reach` bytes and more from every escape reads the same in all of them, and is left out.
 */
export function readingsOf(source: Uint8Array, reach: number): readonly Unescaped[] {
  const text = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const percent = text.includes(PERCENT);
  const backslash = text.includes(BACKSLASH);
  if (!percent && !backslash && !text.includes(LF)) return [];
  const kinds: Kinds[] = [{ percent, backslash }];
  if (percent && backslash) kinds.push({ percent, backslash: false }, { percent: false, backslash });
  return stretchesOf(text, reach).flatMap(({ from, to }) =>
    kinds.map((kind) => unescaped(source, from, to, kind)),
  );
}

function unescaped(source: Uint8Array, from: number, to: number, kinds: Kinds): Unescaped {
  const bytes = new Uint8Array(to - from);
  const starts = new Uint32Array(to - from + 1);
  let length = 0;
  let at = from;
  while (at < to) {
    const byte = source[at] ?? 0;
    // A run of line breaks folds as a whole or not at all: only its first one is looked at.
    const isLater = isBreak(byte) && at > from && isBreak(source[at - 1]);
    const found = isLater ? null : escapeAt(source, at, byte, kinds);
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

interface Escape {
  readonly bytes: readonly number[];
  /** Bytes of the original that the escape takes. */
  readonly width: number;
}

function escapeAt(source: Uint8Array, at: number, byte: number, kinds: Kinds): Escape | null {
  if (byte > BACKSLASH) return null;
  if (byte === PERCENT && kinds.percent) {
    const value = hexAt(source, at + 1, 2);
    return value === null ? null : { bytes: [value], width: 3 };
  }
  if (byte === BACKSLASH && kinds.backslash) return backslashAt(source, at);
  return isBreak(byte) ? foldAt(source, at) : null;
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

function backslashAt(source: Uint8Array, at: number): Escape | null {
  const letter = String.fromCharCode(source[at + 1] ?? 0);
  const simple = SIMPLE[letter];
  if (simple !== undefined) return { bytes: [simple], width: 2 };
  if (letter !== 'u') return null;
  const unit = hexAt(source, at + 2, 4);
  if (unit === null) return null;
  if (unit < 0x80) return { bytes: [unit], width: 6 };
  const low = isBackslashU(source, at + 6) ? hexAt(source, at + 8, 4) : null;
  const pair = unit >= 0xd800 && unit < 0xdc00 && low !== null && low >= 0xdc00 && low < 0xe000;
  const text = pair ? String.fromCharCode(unit, low) : String.fromCharCode(unit);
  return { bytes: [...Buffer.from(text)], width: pair ? 12 : 6 };
}

function isBackslashU(source: Uint8Array, at: number): boolean {
  return source[at] === BACKSLASH && source[at + 1] === 0x75;
}

// A folded header line: a line break and the blanks that the next line begins with.
function foldAt(source: Uint8Array, at: number): Escape | null {
  let end = at;
  while (isBreak(source[end])) end += 1;
  const afterBreak = end;
  while (source[end] === 0x20 || source[end] === 0x09) end += 1;
  return end === afterBreak ? null : { bytes: [], width: end - at };
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
