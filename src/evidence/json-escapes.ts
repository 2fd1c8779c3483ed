import { Buffer } from 'node:buffer';

const WORD = 4;
const BACKSLASH = 0x5c;
const CONTROLS = 0x20;
const HEXADECIMAL = Buffer.from('0123456789abcdef');
/** Bytes of the longest escape: `\u0000`. */
const LONGEST = 6;
/** How typed arrays read words on this machine. */
const LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;
const NO_WORDS = new Int32Array();

/** Whether a backslash and a letter stand for a byte, and which; a byte itself where not. */
const SHORT = new Uint8Array(256);
const LETTERS = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [character, letter] of ['""', '\\\\', '\bb', '\ff', '\nn', '\rr', '\tt'].map((pair) => [
  ...pair,
])) {
  const byte = character?.charCodeAt(0) ?? 0;
  SHORT[byte] = 1;
  LETTERS[byte] = letter?.charCodeAt(0) ?? 0;
}

/** How far escaping has come: bytes of the source taken, and of the target filled. */
export interface Escaped {
  readonly taken: number;
  readonly filled: number;
}

/**
 * Writes UTF-8 text as what stands between the quotes of a JSON string, as JSON.stringify does, for as long as there is
 * room. Four bytes are looked at in one go: most hold nothing that has to be escaped.
 *
 * @param from where in `source` to begin
 * @param at where in `target` to begin
 */
export function escapeJson(source: Uint8Array, from: number, target: Buffer, at: number): Escaped {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  const last = target.length - WORD * LONGEST;
  let taken = from;
  let filled = at;
  // What is read as words begins at a multiple of four in memory.
  const first = from + (-(source.byteOffset + from) & (WORD - 1));
  const count = Math.max(0, source.length - first) >> 2;
  const words = count === 0 ? NO_WORDS : new Int32Array(source.buffer, source.byteOffset + first, count);
  while (taken < Math.min(first, source.length) && filled <= last)
    filled = escapeOne(source[taken++] ?? 0, target, filled);
  for (let index = 0; index < words.length && filled <= last; index += 1) {
    const word = words[index] ?? 0;
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    // The highest bit of a byte is set where that is a control character, a quote or a backslash.
    const marks =
      ((word - 0x20202020) & ~word) |
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash);
    if ((marks & 0x80808080) === 0) {
      view.setInt32(filled, word, LITTLE_ENDIAN);
      filled += WORD;
    } else {
      for (let each = taken; each < taken + WORD; each += 1)
        filled = escapeOne(source[each] ?? 0, target, filled);
    }
    taken += WORD;
  }
  while (taken < source.length && source.length - taken < WORD && filled <= last)
    filled = escapeOne(source[taken++] ?? 0, target, filled);
  return { taken, filled };
}

function escapeOne(byte: number, target: Buffer, at: number): number {
  const short = SHORT[byte] ?? 0;
  if (byte < CONTROLS && short === 0) {
    target.write('\\u00', at);
    target[at + 4] = HEXADECIMAL[byte >> 4] ?? 0;
    target[at + 5] = HEXADECIMAL[byte & 15] ?? 0;
    return at + LONGEST;
  }
  // Overwritten where it does not belong there, which costs less than to ask.
  target[at] = BACKSLASH;
  target[at + short] = LETTERS[byte] ?? 0;
  return at + short + 1;
}
