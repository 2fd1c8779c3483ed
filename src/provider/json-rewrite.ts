import { Buffer } from 'node:buffer';

/** Where a value stands. */
export interface Place {
  /** Arrays and objects around it. */
  readonly depth: number;
  /** The nearest member name around it; null where there is none. */
  readonly name: string | null;
}

/** What is put in place of values; null leaves one as it is written. */
export interface Rewriting {
  /** Expects letters and digits of ASCII in return. */
  readonly text: (value: string, place: Place) => string | null;
  readonly number: (place: Place) => string | null;
}

interface Level {
  readonly object: boolean;
  name: string | null;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/**
 * Replaces values in a JSON text and leaves everything else as it is written: names, blanks, doubled members, the
 * digits of numbers. A text that is no JSON stays none: a string that is cut off stays cut off, one that JSON does not
 * allow stays so.
 *
 * @param text One character for each byte (Latin-1).
 */
export function rewritten(text: string, rewriting: Rewriting): string {
  const levels: Level[] = [];
  let made = '';
  let at = 0;
  const place = (): Place => ({
    depth: levels.length,
    name: levels.findLast(({ name }) => name !== null)?.name ?? null,
  });
  while (at < text.length) {
    const letter = text[at] ?? '';
    if (letter === '"') {
      const end = endOf(text, at);
      const literal = text.slice(at, end);
      const level = levels.at(-1);
      if (level?.object === true && /^\s*:/.test(text.slice(end, end + 64))) {
        level.name = stringIn(literal) ?? '';
        made += literal;
      } else made += replaced(literal, rewriting, place());
      at = end;
      continue;
    }
    NUMBER.lastIndex = at;
    const number = /[-\d]/.test(letter) ? (NUMBER.exec(text)?.[0] ?? null) : null;
    if (number !== null) {
      made += rewriting.number(place()) ?? number;
      at += number.length;
      continue;
    }
    if (letter === '{' || letter === '[') levels.push({ object: letter === '{', name: null });
    if (letter === '}' || letter === ']') levels.pop();
    made += letter;
    at += 1;
  }
  return made;
}

function replaced(literal: string, { text }: Rewriting, place: Place): string {
  const value = stringIn(literal);
  const replacement = text(value ?? literal, place);
  if (replacement === null) return literal;
  if (value !== null) return `"${replacement}"`;
  const cut = literal.length === 1 || !literal.endsWith('"');
  // A control character, which no JSON string may hold, keeps the string as wrong as it was.
  return cut ? `"${replacement}` : `"${replacement}\u0001"`;
}

function stringIn(literal: string): string | null {
  try {
    return JSON.parse(Buffer.from(literal, 'latin1').toString('utf8')) as string;
  } catch {
    return null;
  }
}

// A quote ends the string unless an odd number of backslashes stands before it.
function endOf(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
