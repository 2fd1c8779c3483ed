import { visible } from './visible-text.ts';

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
