import { Buffer } from 'node:buffer';

const WORD = 4;
const BACKSLASH = 0x5c;
const CONTROLS = 0x20;
/** Bytes of the longest escape: `\u0000`. */
const LONGEST = 6;
/** Bytes for which there has to be room, or for what is left of a text: fewer are not worth a beginning. */
const LEAST = 1_024;
/** How typed arrays read words on this machine. */
const LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/** Letters that stand behind a backslash for a control character; 0 for those that have none. */
const LETTERS = new Uint8Array(CONTROLS);
for (const [byte, letter] of ['\bb', '\ff', '\nn', '\rr', '\tt'].map((pair) => Buffer.from(pair)))
  LETTERS[byte ?? 0] = letter ?? 0;

/** 1 for what a backslash is put before. */
const MARKED = new Uint8Array(256);
for (const byte of Buffer.from('"\\')) MARKED[byte] = 1;

/** How far escaping has come: bytes of the source taken, and of the target filled. */
export interface Escaped {
  readonly taken: number;
  readonly filled: number;
}

/**
 * Writes UTF-8 text as what stands between the quotes of a JSON string, as JSON.stringify does, for as long as there is
 * room for whatever comes. Four bytes are looked at in one go: most hold nothing that has to be escaped.
 *
 * @param from where in `source` to begin
 * @param at where in `target` to begin
 */
export function escapeJson(source: Uint8Array, from: number, target: Buffer, at: number): Escaped {
  let taken = from;
  let filled = at;
  while (taken < source.length) {
    // As many bytes as fit even if all of them have to be escaped: then nobody has to ask on the way.
    const room = Math.floor((target.length - filled) / LONGEST);
    if (room < Math.min(LEAST, source.length - taken)) break;
    const to = Math.min(source.length, taken + room);
    filled = escapeAll(source, taken, to, target, filled);
    taken = to;
  }
  return { taken, filled };
}

function escapeAll(source: Uint8Array, from: number, to: number, target: Buffer, at: number): number {
  // What is read as words begins at a multiple of four in memory.
  const first = Math.min(to, from + (-(source.byteOffset + from) & (WORD - 1)));
  const last = to - ((to - first) & (WORD - 1));
  let filled = at;
  for (let each = from; each < first; each += 1) filled = escapeOne(source[each] ?? 0, target, filled);
  if (first < last && LITTLE_ENDIAN) filled = escapeWords(source, first, last, target, filled);
  for (let each = LITTLE_ENDIAN ? last : first; each < to; each += 1)
    filled = escapeOne(source[each] ?? 0, target, filled);
  return filled;
}

function escapeWords(source: Uint8Array, from: number, to: number, target: Buffer, at: number): number {
  const words = new Int32Array(source.buffer, source.byteOffset + from, (to - from) / WORD);
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let filled = at;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? 0;
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    // The highest bit of a byte is set where that is a control character, a quote or a backslash.
    const marks =
      ((word - 0x20202020) & ~word) |
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash);
    if ((marks & 0x80808080) === 0) {
      view.setInt32(filled, word, true);
      filled += WORD;
      continue;
    }
    for (let shift = 0; shift < 32; shift += 8) {
      const byte = (word >>> shift) & 0xff;
      if (byte < CONTROLS) filled = escapeControl(byte, target, filled);
      else {
        // Overwritten where it does not belong there, which costs less than to ask.
        target[filled] = BACKSLASH;
        filled += MARKED[byte] ?? 0;
        target[filled] = byte;
        filled += 1;
      }
    }
  }
  return filled;
}

function escapeOne(byte: number, target: Buffer, at: number): number {
  if (byte < CONTROLS) return escapeControl(byte, target, at);
  const last = at + (MARKED[byte] ?? 0);
  target[at] = BACKSLASH;
  target[last] = byte;
  return last + 1;
}

function escapeControl(byte: number, target: Buffer, at: number): number {
  const letter = LETTERS[byte] ?? 0;
  if (letter === 0) return at + target.write(`\\u00${byte < 16 ? '0' : ''}${byte.toString(16)}`, at);
  target[at] = BACKSLASH;
  target[at + 1] = letter;
  return at + 2;
}
