import { INVISIBLE_CHARACTERS } from './escape-invisible.ts';

/** A value as JSON, indented by two. */
export function jsonText(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2));
}

/** A value as JSON on one line. */
export function jsonLine(value: unknown): string {
  return escaped(JSON.stringify(value));
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
