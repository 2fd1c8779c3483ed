import type { Buffer } from 'node:buffer';

/** Part of a text in bytes; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/** Length of the longest escape in bytes, without folded lines: a surrogate pair. */
const LONGEST = 12;
/** A text with more than FEW escapes plus one per BYTES_FOR_ONE bytes counts as full of escapes. */
const FEW = 64;
const BYTES_FOR_ONE = 128;

/**
 * The ranges of a text within `reach` bytes of an escape, or of a line break with the blanks after it. They
 * are sorted and do not overlap. If the text is full of escapes, the last range extends to its end.
 *
 * @param reach distance in bytes
 * @param marks bytes that may begin an escape
 * @param isEscape whether the mark at a position begins an escape
 */
export function escapeRanges(
  text: Buffer,
  reach: number,
  marks: readonly number[],
  isEscape: (at: number) => boolean = () => true,
): readonly Range[] {
  const ranges: Range[] = [];
  const nextOf = (byte: number, from: number): number => {
    let at = text.indexOf(byte, from);
    while (at !== -1 && !isEscape(at)) at = text.indexOf(byte, at + 1);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  const next = marks.map((byte) => ({ byte, at: nextOf(byte, 0) }));
  let from = 0;
  let to = Number.NEGATIVE_INFINITY;
  for (let seen = 0; ; seen += 1) {
    const at = Math.min(...next.map((one) => one.at));
    if (at - reach > to) {
      if (to > 0) ranges.push({ from, to: Math.min(to, text.length) });
      if (at === Number.POSITIVE_INFINITY) return ranges;
      from = Math.max(0, at - reach);
    }
    if (seen > FEW + at / BYTES_FOR_ONE) return [...ranges, { from, to: text.length }];
    to = Math.max(to, endOf(text, at) + reach);
    for (const one of next) if (one.at === at) one.at = nextOf(one.byte, at + 1);
  }
}

function endOf(text: Buffer, at: number): number {
  const byte = text[at];
  if (!isBreak(byte)) return at + LONGEST;
  // The first line break of a run has already determined the end.
  if (isBreak(text[at - 1])) return at;
  let end = at;
  while (isBreak(text[end])) end += 1;
  while (text[end] === SPACE || text[end] === TAB) end += 1;
  return end;
}

/** Whether a byte is CR or LF. */
export function isBreak(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}
