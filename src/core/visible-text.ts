/**
 * Control characters, format characters (including bidirectional marks), lone surrogates, line and paragraph
 * separators, noncharacters and other invisible characters.
 */
export const INVISIBLE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text of a provider, safe for any output: invisible characters, and those that move the cursor, change the reading
 * direction or are forbidden in XML, become readable escapes such as `\u001b` or `\n`.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, (character) => SHORT[character] ?? escaped(character));
}

/** The same for text of several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
