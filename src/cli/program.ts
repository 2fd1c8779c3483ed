import yargs, { type Argv } from 'yargs';
import { didYouMean } from '../catalogue/nearest.ts';
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
  const named = words.find((word) => !word.startsWith('-'));
  const names = commands.map((command) => command.name);
  if (named !== undefined && !names.includes(named)) {
    throw new UsageError(
      `there is no command "${named}"${didYouMean(named, names) || `; there are ${names.join(', ')}`}`,
    );
  }
  let selected: Parsed | null = null;
  let program = yargs()
    .scriptName('assay')
    .usage('assay <command>\n\nJudges a provider of the integration API against its specification.')
    // The words of yargs itself would otherwise follow the language of the machine.
    .locale('en')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'boolean-negation': false,
      'short-option-groups': false,
    })
    .version(version)
    .help()
    .strict()
    .exitProcess(false)
    .wrap(Math.min(width, 110))
    .demandCommand(1, `name a command: ${names.join(', ')}`)
    .fail((message, error) => {
      throw error ?? new UsageError(sentence(message, words, named));
    });
  for (const command of commands) {
    program = program.command(
      command.usage,
      command.summary,
      (builder) => declare(builder, command, words),
      (args: Arguments) => {
        selected = { kind: 'command', command, args };
      },
    );
  }
  let text = '';
  await program.parseAsync([...words], {}, (_error, _args, output) => {
    text = output;
  });
  return selected ?? { kind: 'text', text: `${text}\n` };
}

function declare(builder: Argv, command: Command, words: readonly string[]): Argv {
  let declared = builder;
  for (const [name, options] of Object.entries(command.positionals)) {
    declared = declared.positional(name, options);
  }
  // yargs lays out the help of a command that it has found, whether or not anybody asked for it.
  if (!words.includes('--help')) return declared.options(withoutWords(command.options));
  for (const [example, meaning] of command.examples) declared = declared.example(example, meaning);
  return declared.options(command.options);
}

function withoutWords(options: Command['options']): Command['options'] {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, hidden: true }]),
  );
}

// yargs writes for developers; these are the same things said to a user.
function sentence(message: string, words: readonly string[], named: string | undefined): string {
  const unknown = /^Unknown arguments?: ([^,]+)/u.exec(message)?.[1];
  if (unknown !== undefined) return unknownArgument(unknown, words, named);
  const missing = /^Not enough arguments following: (.+)$/u.exec(message)?.[1];
  if (missing !== undefined) return `--${missing} needs a value`;
  if (message.startsWith('Not enough non-option arguments')) {
    const usage = commands.find((command) => command.name === named)?.usage ?? '<command>';
    return `something is missing: assay ${usage}`;
  }
  return message.replace(/\s*\n\s*/gu, ' ');
}

function unknownArgument(unknown: string, words: readonly string[], named: string | undefined): string {
  const option = words.find(
    (word) => word.replace(/^-+/u, '').split('=')[0] === unknown && word.startsWith('-'),
  );
  if (option === undefined) return `assay ${named ?? ''} does not take "${unknown}" as well`;
  const command = commands.find((one) => one.name === named);
  const known = [...Object.keys(command?.options ?? {}), 'help', 'version'].map((name) => `--${name}`);
  const written = option.split('=')[0] ?? option;
  return `${named === undefined ? 'assay' : `assay ${named}`} has no option ${written}${didYouMean(written, known)}`;
}
