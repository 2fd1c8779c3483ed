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

/** Text of a provider of several lines, safe for any output: like {@link visible}, but line breaks stay. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

// CI runners trim white space before `::`. Colour codes are skipped as well, in case a runner removes them
// first.
const COMMAND_AT_LINE_START = /(^|[\r\n])((?:[^\S\r\n]|\u0085|\u001b\[[\d;]*m)*)::/g;
const COMMAND_IN_LINE = /##(?=\w*\[)/g;

/**
 * Text without workflow commands. GitHub executes `::name::` at the start of a line and `##[name]` anywhere in a
 * line; Azure Pipelines executes `##vso[name]`. One character of each becomes its JSON escape, so that JSON keeps
 * its value.
 */
export function withoutWorkflowCommands(text: string): string {
  return text.replace(COMMAND_AT_LINE_START, '$1$2:\\u003a').replace(COMMAND_IN_LINE, '#\\u0023');
}

/** Text of a provider on one line, for another program that prints it, such as Playwright Test. */
export function printableLine(text: string): string {
  return withoutWorkflowCommands(visible(text));
}
