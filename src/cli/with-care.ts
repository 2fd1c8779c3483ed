import yargs, { type Argv } from 'yargs';
import { didYouMean } from '../core/suggestion.ts';
import type { Arguments, Command } from './command.ts';
import { unmarkedText } from './operands.ts';
import type { Parsed } from './program.ts';
import { UsageError } from './usage-error.ts';

/** A command line, and what is known of it. */
interface Line {
  readonly commands: readonly Command[];
  /** Everything after `assay`. */
  readonly words: readonly string[];
  /** The command that it names, if any. */
  readonly named: string | undefined;
  readonly version: string;
  /** Columns that the help may take. */
  readonly width: number;
}

/** Reads any command line, and lays out the help that it asks for. Throws UsageError for what cannot be understood. */
export async function parseWithCare(line: Line): Promise<Parsed> {
  const { commands, words, version, width } = line;
  const names = commands.map((command) => command.name);
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
      throw error ?? new UsageError(unmarkedText(sentence(message, line)));
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
function sentence(message: string, { commands, words, named }: Line): string {
  const unknown = /^Unknown arguments?: ([^,]+)/u.exec(message)?.[1];
  if (unknown !== undefined) return unknownArgument(unknown, { commands, words, named });
  if (message.startsWith('Not enough non-option arguments')) {
    const usage = commands.find((command) => command.name === named)?.usage ?? '<command>';
    return `something is missing: assay ${usage}`;
  }
  return message.replace(/\s*\n\s*/gu, ' ');
}

function unknownArgument(
  unknown: string,
  { commands, words, named }: Pick<Line, 'commands' | 'words' | 'named'>,
): string {
  const option = words.find(
    (word) => word.replace(/^-+/u, '').split('=')[0] === unknown && word.startsWith('-'),
  );
  if (option === undefined) return `assay ${named ?? ''} does not take "${unknown}" as well`;
  const command = commands.find((one) => one.name === named);
  const known = [...Object.keys(command?.options ?? {}), 'help', 'version'].map((name) => `--${name}`);
  const written = option.split('=')[0] ?? option;
  return `${named === undefined ? 'assay' : `assay ${named}`} has no option ${written}${didYouMean(written, known)}`;
}
