import { Replacement } from '../../../src/evidence/redaction/redactor.ts';
import type { Found, Pattern } from '../../../src/evidence/redaction/scanner.ts';
import { characterOf } from '../../../src/evidence/redaction/unescape.ts';

/** An escape: its length, and the bytes that it means. */
type Escape = readonly [width: number, bytes: Buffer];
type Kind = (text: Buffer, at: number) => Escape | null;

/**
 * The expected result of `Redactor.redactBytes`, computed by brute force: each pattern at each offset of each
 * reading of the whole text, byte by byte.
 */
export function plainlyRedacted(text: Buffer, patterns: readonly Pattern[]): Buffer {
  const replacement = new Replacement();
  replacement.add(everyFinding(text, patterns));
  return Buffer.from(replacement.in(text));
}

/** All matches of all patterns in all readings; duplicates if readings agree. */
function everyFinding(text: Buffer, patterns: readonly Pattern[]): Found[] {
  const percent = text.includes('%');
  const backslash = text.includes('\\');
  const readings: (readonly Kind[])[] = [[]];
  if (percent || backslash || text.includes('\n')) readings.push([percentAt, backslashAt, foldAt]);
  if (percent && backslash) readings.push([percentAt, foldAt], [backslashAt, foldAt]);
  readings.push([entityAt], [quotedPrintableAt]);
  return readings.flatMap((kinds) => findIn(text, patterns, kinds));
}

function findIn(text: Buffer, patterns: readonly Pattern[], kinds: readonly Kind[]): Found[] {
  const plain: number[] = [];
  const starts: number[] = [];
  for (let at = 0; at < text.length; ) {
    const [width, bytes] = kinds.map((kind) => kind(text, at)).find((one) => one !== null) ?? [
      1,
      text.subarray(at, at + 1),
    ];
    for (const byte of bytes) {
      plain.push(byte);
      starts.push(at);
    }
    at += width;
  }
  starts.push(text.length);
  const reading = Buffer.from(plain);
  return patterns.flatMap((pattern) => {
    const found: Found[] = [];
    for (let at = reading.indexOf(pattern.bytes); at !== -1; at = reading.indexOf(pattern.bytes, at + 1)) {
      const end = at + pattern.bytes.length;
      const alone = !/[\w\x80-\xff-]/.test(reading.toString('latin1', Math.max(0, at - 1), at));
      const alsoAfter = !/[\w\x80-\xff-]/.test(reading.toString('latin1', end, end + 1));
      if (!pattern.wholeToken || (alone && alsoAfter))
        found.push({ start: starts[at] ?? 0, end: starts[end] ?? 0, label: pattern.label });
    }
    return found;
  });
}

const PERCENT_UNITS = /^%u(?:d[89ab][0-9a-f]{2}%ud[c-f][0-9a-f]{2}|[0-9a-f]{4})/i;

function percentAt(text: Buffer, at: number): Escape | null {
  if (text[at] !== 0x25) return null;
  const ahead = text.toString('latin1', at, at + 12);
  // The letter u itself must be lower case.
  const [units] = ahead.startsWith('%u') ? (PERCENT_UNITS.exec(ahead.replaceAll('%U', '%_')) ?? []) : [];
  if (units !== undefined)
    return [units.length, Buffer.from(String(JSON.parse(`"${units.replaceAll('%', '\\')}"`)))];
  const [whole, digits] = /^%([0-9a-f]{2})/i.exec(ahead) ?? [];
  return whole === undefined ? null : [3, Buffer.from(digits ?? '', 'hex')];
}

const ESCAPE =
  /^\\u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[0-9a-fA-F]{4})|^\\["\\/bfnrt]/;

function backslashAt(text: Buffer, at: number): Escape | null {
  if (text[at] !== 0x5c) return null;
  const ahead = text.toString('latin1', at, at + 12);
  const [byte, digits] = /^\\x([0-9a-fA-F]{2})/.exec(ahead) ?? [];
  if (byte !== undefined) return [byte.length, Buffer.from(digits ?? '', 'hex')];
  const [whole] = ESCAPE.exec(ahead) ?? [];
  return whole === undefined ? null : [whole.length, Buffer.from(String(JSON.parse(`"${whole}"`)))];
}

function entityAt(text: Buffer, at: number): Escape | null {
  if (text[at] !== 0x26) return null;
  const [entity] =
    /^&(?:#\d{1,8}|#[xX][\da-fA-F]{1,8}|[A-Za-z][A-Za-z\d]{1,7});/.exec(
      text.toString('latin1', at, at + 12),
    ) ?? [];
  const character = entity === undefined ? null : characterOf(entity);
  return entity === undefined || character === null ? null : [entity.length, Buffer.from(character)];
}

function quotedPrintableAt(text: Buffer, at: number): Escape | null {
  if (text[at] !== 0x3d) return null;
  const [whole, digits] = /^=(?:([0-9a-fA-F]{2})|\r?\n)/.exec(text.toString('latin1', at, at + 3)) ?? [];
  return whole === undefined ? null : [whole.length, Buffer.from(digits ?? '', 'hex')];
}

function foldAt(text: Buffer, at: number): Escape | null {
  if (text[at] !== 0x0d && text[at] !== 0x0a) return null;
  const [fold] = /^[\r\n]+[ \t]+/.exec(text.toString('latin1', at)) ?? [];
  return fold === undefined ? null : [fold.length, Buffer.alloc(0)];
}
