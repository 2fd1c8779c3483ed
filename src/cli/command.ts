import { withoutWorkflowCommands } from '../core/visible-text.ts';
import { visible } from '../report/wording/phrases.ts';
import type { ExitStatus } from './shared/process.ts';

/** The arguments that yargs parsed; values are not validated yet. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * The candidates for completing a value: words, or a kind that is resolved on demand. A `selection` is a
 * requirement or a glob.
 */
export type Values =
  | readonly string[]
  | 'file'
  | 'folder'
  | 'requirement'
  | 'selection'
  | 'defect'
  | 'format';

/** A positional argument. The parser, help, docs/commands.md and completion are derived from it. */
export interface Positional {
  readonly describe: string;
  /** Nothing is completed if absent. */
  readonly values?: Values;
}

/** An option. */
export interface Option extends Positional {
  /** What help calls its value, such as FILE; absent if the option is a switch. */
  readonly value?: string;
  /** May be repeated. */
  readonly array?: true;
  /** For contributors only: not shown in help, docs/commands.md and completion. */
  readonly hidden?: true;
}

/** A command. Its action is loaded when it runs. */
export interface Command {
  readonly name: string;
  /** Name and positional arguments, as yargs writes them: `explain <id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly positionals: Readonly<Record<string, Positional>>;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /**
   * Runs the command.
   *
   * @param words the command line after `assay`
   * @throws UsageError and other errors for users; any other error is a bug
   */
  readonly execute: (args: Arguments, host: Host, words: readonly string[]) => Promise<ExitStatus>;
}

export interface Output {
  /** Writes text. Escapes workflow commands in it, so that a CI runner does not execute them. */
  readonly write: (text: string) => void;
  /** Writes workflow commands for a CI runner. The caller escapes the quoted text. */
  readonly writeCommands: (commands: string) => void;
  /** Whether it is a terminal whose current line can be rewritten. */
  readonly live: boolean;
  readonly colour: boolean;
  /** Columns; 100 if unknown. */
  readonly width: () => number;
}

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The parts of the process that a command may use. */
export interface Host {
  /** Opened on the first call. */
  readonly in: () => Input;
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when standard output cannot be written; never if only its reader stopped early. */
  readonly outLost: Promise<void>;
}

/** Writes sentences to standard error, each on one line that begins with `assay:`. */
export function warnerOf({ err }: Host): (sentence: string) => void {
  return (sentence) => err.write(`assay: ${visible(sentence)}\n`);
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/** The host of this process; `lost` says whether some output could not be written. */
export function processHost(): Host & { readonly lost: () => boolean } {
  const { stdout, stderr, env } = process;
  let lost = false;
  let noteOutLost = (_error: Error): void => undefined;
  const outLost = new Promise<Error>((resolve) => {
    noteOutLost = resolve;
  }).then((error) => {
    stderr.write(`assay: standard output cannot be written: ${error.message}\n`);
  });
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader such as `head` may stop early; a full disk is an error.
      if (error.code === 'EPIPE') return;
      lost = true;
      if (stream === stdout) noteOutLost(error);
    });
  }
  return {
    in: () => process.stdin,
    out: outputOf(stdout, env),
    err: outputOf(stderr, env),
    env,
    outLost,
    lost: () => lost,
  };
}

/**
 * Wraps a stream for commands. FORCE_COLOR takes precedence over NO_COLOR, and both over the kind of stream.
 */
export function outputOf(stream: Stream, env: Host['env']): Output {
  const terminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    write: (text) => void stream.write(withoutWorkflowCommands(text)),
    writeCommands: (commands) => void stream.write(commands),
    live: terminal,
    colour: wantsColour(env) ?? terminal,
    width: () => stream.columns ?? 100,
  };
}

function wantsColour(env: Host['env']): boolean | null {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  const refused = env['NO_COLOR'];
  return refused !== undefined && refused !== '' ? false : null;
}
