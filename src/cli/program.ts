import yargs, { type Argv } from 'yargs';
import { packageVersion, thisTool } from '../core/package-file.ts';
import { didYouMean } from '../core/suggestion.ts';
import { describeSystemError, messageOf } from '../core/system-error.ts';
import { isForUser } from '../core/user-error.ts';
import { visible } from '../core/visible-text.ts';
import { type Arguments, type Command, EXIT, type ExitStatus, type Host, UsageError } from './command.ts';
import { completionCommandOf } from './completion/command.ts';
import { diffCommand } from './diff/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { explainCommand } from './explain/command.ts';
import { historyCommand } from './history/command.ts';
import { initCommand } from './init/command.ts';
import { keygenCommand } from './keygen/command.ts';
import { mergeCommand } from './merge/command.ts';
import { mockCommand } from './mock/command.ts';
import { proveCommand } from './prove/command.ts';
import { replayCommand } from './replay/command.ts';
import { reportCommand } from './report/command.ts';
import { requirementsCommand } from './requirements/command.ts';
import { runCommand } from './run/command.ts';
import { serveCommand } from './serve/command.ts';
import { showCommand } from './show/command.ts';
import { tokenCommand } from './token/command.ts';
import { verifyCommand } from './verify/command.ts';

export const commands: readonly Command[] = [
  runCommand,
  initCommand,
  doctorCommand,
  tokenCommand,
  mockCommand,
  proveCommand,
  requirementsCommand,
  explainCommand,
  reportCommand,
  showCommand,
  diffCommand,
  historyCommand,
  serveCommand,
  replayCommand,
  verifyCommand,
  mergeCommand,
  keygenCommand,
  completionCommandOf(() => commands),
];

/** Runs one command line. Never throws: an error becomes one sentence on standard error. */
export async function dispatch(words: readonly string[], host: Host): Promise<ExitStatus> {
  try {
    if (/^(--version|-v|-V) --json$|^--json (--version|-v|-V)$/u.test(words.join(' '))) {
      host.out.write(`${JSON.stringify(thisTool())}\n`);
      return EXIT.ok;
    }
    const parsed = await parse(words, host.out.width());
    if (parsed.kind === 'command') return await parsed.command.execute(parsed.args, host, words);
    host.out.write(parsed.text);
    return EXIT.ok;
  } catch (error) {
    host.err.write(messageFor(error, host));
    return EXIT.notCarriedOut;
  }
}

function messageFor(error: unknown, host: Host): string {
  const line = `assay: ${oneLine(describeError(error))}`;
  if (isForUser(error)) {
    // A target file may have several mistakes; report all at once.
    const problems = 'problems' in error && Array.isArray(error.problems) ? error.problems.map(String) : [];
    return problems.length < 2 ? `${line}\n` : problems.map((one) => `assay: ${oneLine(one)}\n`).join('');
  }
  const stack = host.env['ASSAY_DEBUG'] === '1' && error instanceof Error ? `${error.stack}\n` : '';
  const hint = stack === '' ? '; ASSAY_DEBUG=1 shows where' : '';
  return `${line} (this is a bug in Assay${hint})\n${stack}`;
}

// Messages of system errors are written for developers.
function describeError(error: unknown): string {
  const prefix = error instanceof Error && 'path' in error ? `cannot use ${String(error.path)}: ` : '';
  return isForUser(error) ? `${prefix}${describeSystemError(error)}` : messageOf(error);
}

function oneLine(text: string): string {
  return visible(text.replace(/\s*\n\s*/gu, ' '));
}

type Parsed =
  | { readonly kind: 'command'; readonly command: Command; readonly args: Arguments }
  | { readonly kind: 'text'; readonly text: string };

/** `given` is everything after `assay`, `width` the columns available for the help. */
export async function parse(given: readonly string[], width: number): Promise<Parsed> {
  const [first, topic] = given;
  if (first === 'help' && topic !== undefined && !commands.some(({ name }) => name === topic))
    throw new UsageError(unknownCommand(topic));
  const words = first === 'help' ? [...given.slice(1), '--help'] : given;
  let entered = null as Command | null;
  let parsed = null as Parsed | null;
  let program = yargs()
    .scriptName('assay')
    .usage(
      'assay <command>\n\nTests whether a provider of the integration API conforms to its specification.',
    )
    // Otherwise yargs uses the system language.
    .locale('en')
    .updateStrings({ array: 'repeatable' })
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    })
    .version(packageVersion())
    .alias('version', ['v', 'V'])
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .wrap(Math.min(width, 110))
    .demandCommand(1, NO_COMMAND)
    .fail((message, error) => {
      throw new UsageError(sentence(message ?? error.message, words, entered));
    });
  for (const command of commands) {
    program = program.command(
      command.usage,
      command.summary,
      (builder) => {
        entered = command;
        return declare(builder, command);
      },
      (args: Arguments) => {
        parsed = { kind: 'command', command, args };
      },
    );
  }
  let text = '';
  await program.parseAsync(withoutSeparator(words), {}, (_error, _args, output) => {
    text = output;
  });
  const result: Parsed = parsed ?? { kind: 'text', text: `${text}\n` };
  if (result.kind === 'command') expectValues(result, words);
  return result;
}

function declare(builder: Argv, { positionals, options, examples }: Command): Argv {
  let declared = builder;
  // Otherwise help shows an empty list as the default.
  for (const [name, { describe }] of Object.entries(positionals))
    declared = declared.positional(name, { describe, default: undefined });
  for (const [name, { value, array = false, hidden = false, describe }] of Object.entries(options))
    declared = declared.option(
      name,
      value === undefined
        ? { boolean: true, hidden, describe }
        : { array, hidden, describe: `${value}: ${describe}`, requiresArg: true },
    );
  for (const [example, meaning] of examples) declared = declared.example(example, meaning);
  return declared;
}

/** Rejects what yargs silently accepts: a switch with a value, which yargs reads as false, and an empty argument. */
function expectValues({ command, args }: Parsed & { kind: 'command' }, words: readonly string[]): void {
  for (const word of words) {
    const [, option = '', value = ''] = /^--([^=]+)=(.*)$/su.exec(word) ?? [];
    if (option === 'help' || option === 'version') throw new UsageError(`--${option} takes no value`);
    const known = command.options[option];
    if (known !== undefined && known.value === undefined && value !== 'true' && value !== 'false')
      throw new UsageError(`--${option} takes true or false, not "${value}"`);
  }
  const empty = Object.keys(command.positionals).find((name) => [args[name]].flat().includes(''));
  if (empty !== undefined) throw new UsageError(`assay ${command.usage}: the argument ${empty} is empty`);
}

/**
 * The words without the first `--`, behind which yargs would drop them. Throws UsageError for `-`, which yargs would
 * drop, and for a later word that yargs would take for an option.
 */
function withoutSeparator(words: readonly string[]): string[] {
  const separator = words.indexOf('--');
  const isAfter = (place: number): boolean => separator !== -1 && place > separator;
  const dashed = words.find((word, place) => word === '-' || (isAfter(place) && word.startsWith('-')));
  if (dashed !== undefined) throw new UsageError(`write ./${dashed} for a file named ${dashed}`);
  return words.filter((_word, place) => place !== separator);
}

const PROBLEM =
  /^(Unknown argument|Not enough arguments following|Not enough non-option arguments)s?: ([^,]+)/u;

/** What yargs reports for a command line without a command; no process argument can contain `\\0`. */
const NO_COMMAND = '\0no command';

/** Converts a message of yargs, written for developers, into a sentence for users. */
function sentence(message: string, words: readonly string[], command: Command | null): string {
  if (message === NO_COMMAND) return missingCommand(words);
  const [, problem, subject = ''] = PROBLEM.exec(message) ?? [];
  if (problem === 'Not enough arguments following') return `--${subject} needs a value`;
  if (problem === 'Not enough non-option arguments') return `an argument is missing: assay ${command?.usage}`;
  if (problem !== 'Unknown argument') return message;
  if (command === null) return unknownCommand(words[0] ?? subject);
  const option = words
    .map((word) => word.split('=')[0] ?? '')
    .find((word) => word.startsWith('-') && word.replace(/^-+/u, '') === subject);
  if (option === undefined) return `assay ${command.usage} takes no further argument: "${subject}"`;
  const known = [...Object.keys(command.options), 'help', 'version'].map((name) => `--${name}`);
  return `assay ${command.name} has no option ${option}${didYouMean(option, known)}`;
}

function missingCommand(words: readonly string[]): string {
  const advice = `name a command: ${commands.map(({ name }) => name).join(', ')}; assay --help explains them`;
  const option = words[0]?.split('=')[0] ?? '';
  if (!/^--?[^-]/u.test(option)) return advice;
  return `assay without a command has no option ${option}${didYouMean(option, ['--help', '--version'])}; ${advice}`;
}

function unknownCommand(name: string): string {
  if (name.startsWith('-')) return 'the command comes first: assay <command> [options]';
  const names = commands.map((command) => command.name);
  return `there is no command "${name}"${didYouMean(name, names) || `; there are ${names.join(', ')}`}`;
}
