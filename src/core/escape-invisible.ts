import { INVISIBLE_CHARACTERS } from './invisible-characters.ts';

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text of a provider, safe for any output: invisible characters, and those that move the cursor, change the reading
 * direction or are forbidden in XML, become readable escapes such as `\u001b` or `\n`.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, (character) => SHORT[character] ?? escaped(character));
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
