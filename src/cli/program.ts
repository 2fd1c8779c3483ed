import { didYouMean } from '../core/suggestion.ts';
import type { Arguments, Command } from './command.ts';
import { completionCommand } from './commands/completion.ts';
import { diffCommand } from './commands/diff.ts';
import { doctorCommand } from './commands/doctor.ts';
import { explainCommand } from './commands/explain.ts';
import { historyCommand } from './commands/history.ts';
import { initCommand } from './commands/init.ts';
import { keygenCommand } from './commands/keygen.ts';
import { mergeCommand } from './commands/merge.ts';
import { mockCommand } from './commands/mock.ts';
import { proveCommand } from './commands/prove.ts';
import { replayCommand } from './commands/replay.ts';
import { reportCommand } from './commands/report.ts';
import { requirementsCommand } from './commands/requirements.ts';
import { runCommand } from './commands/run.ts';
import { serveCommand } from './commands/serve.ts';
import { verifyCommand } from './commands/verify.ts';
import { commandFirst, expectValues } from './line-up.ts';
import { marked, unmarked } from './operands.ts';
import { readPlain } from './plain-words.ts';
import { UsageError } from './usage-error.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  runCommand,
  initCommand,
  doctorCommand,
  mockCommand,
  proveCommand,
  requirementsCommand,
  explainCommand,
  reportCommand,
  diffCommand,
  historyCommand,
  serveCommand,
  replayCommand,
  verifyCommand,
  mergeCommand,
  keygenCommand,
  completionCommand,
];

/** What a command line asks for: a command to carry out, or a text (help, version) to print. */
export type Parsed =
  | { readonly kind: 'command'; readonly command: Command; readonly args: Arguments }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Reads a command line.
 *
 * @param words everything after `assay`
 * @param width columns that the help may take
 * @throws UsageError for what cannot be understood
 */
export async function parse(words: readonly string[], version: string, width: number): Promise<Parsed> {
  const { named, words: line } = commandFirst(words, commands);
  const names = commands.map((command) => command.name);
  if (named !== undefined && !names.includes(named)) {
    throw new UsageError(
      `there is no command "${named}"${didYouMean(named, names) || `; there are ${names.join(', ')}`}`,
    );
  }
  const [name, ...others] = marked(line);
  if (name === '--version' && others.length === 0) return { kind: 'text', text: `${version}\n` };
  const command = commands.find((one) => one.name === name);
  if (command !== undefined && !others.includes('--help')) expectValues(line, command);
  const args = command === undefined ? null : readPlain(command, others);
  if (command !== undefined && args !== null) return taken(command, args);
  const { parseWithCare } = await import('./with-care.ts');
  const parsed = await parseWithCare({ commands, words: marked(line), named, version, width });
  return parsed.kind === 'command' ? taken(parsed.command, parsed.args) : parsed;
}

function taken(command: Command, args: Arguments): Parsed {
  return { kind: 'command', command, args: unmarked(args, command) };
}
