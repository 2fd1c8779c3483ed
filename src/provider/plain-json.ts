import type { Buffer } from 'node:buffer';
import type { Json } from '../core/results.ts';
import { membersIn } from './doubled-members.ts';
import { isUnusualNumber } from './json-scanner.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;

/**
 * Parses a text that is plain JSON: no object gives a name twice, and no member is a number of which a double may not
 * keep every digit, so the parsed value tells everything. Undefined for other texts, and for a few plain ones. Expects
 * UTF-8.
 *
 * @param maxDepth arrays and objects within each other
 */
export function parsePlainJson(bytes: Buffer, maxDepth: number): Json | undefined {
  const names = countNames(bytes);
  if (names === null) return undefined;
  let value: Json;
  try {
    value = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
  return membersIn(value, maxDepth) === names ? value : undefined;
}

/**
 * An upper bound of the names in a JSON text: every name is a quote and a colon, with blanks between them. More are
 * counted where a string contains this. Null where an unusual number may follow.
 */
function countNames(bytes: Buffer): number | null {
  let names = 0;
  for (let at = bytes.indexOf(COLON); at >= 0; at = bytes.indexOf(COLON, at + 1)) {
    let before = at - 1;
    while (isBlank(bytes[before])) before -= 1;
    if (bytes[before] !== QUOTE) continue;
    names += 1;
    let after = at + 1;
    while (isBlank(bytes[after])) after += 1;
    if (isUnusualNumber(bytes, after)) return null;
  }
  return names;
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === LF || byte === CR || byte === TAB;
}
