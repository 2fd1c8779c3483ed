import type { Json } from './results.ts';
import { INVISIBLE_CHARACTERS } from './visible-text.ts';

/** A value as JSON, indented by two. */
export function jsonText(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2));
}

export function jsonLine(value: unknown): string {
  return escaped(JSON.stringify(value));
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const INVISIBLE_IN_JSON = new RegExp(`(?!\n)${INVISIBLE_CHARACTERS.source}`, INVISIBLE_CHARACTERS.flags);

// Invisible characters occur in strings only, where JSON has escapes for them: the parsed text is the same.
function escaped(json: string): string {
  return json.replace(INVISIBLE_IN_JSON, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A copy of a JSON value with every string replaced, and every member name. */
export function mapStrings<Value>(
  value: Value,
  replace: (text: string) => string,
  replaceName = replace,
): Value {
  const mapped = (one: unknown): unknown => {
    if (typeof one === 'string') return replace(one);
    if (Array.isArray(one)) return one.map(mapped);
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [replaceName(name), mapped(inner)]));
  };
  return mapped(value) as Value;
}
