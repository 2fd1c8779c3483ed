import { type Conclusion, isTolerated, type Tolerance } from '../core/conclusion.ts';
import { UserError } from '../core/user-error.ts';
import { withoutWorkflowCommands } from '../core/visible-text.ts';
import { visible } from '../report/wording/phrases.ts';

/** The arguments that yargs parsed; values are not validated yet. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Candidates for completing a value, or their kind. A `selection` is a requirement or a glob. */
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
  /** `words` is the command line after `assay`. Throws errors for users; any other error is a bug. */
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

/** Clears the current line of a terminal, so that another text can replace it. */
export const CLEAR_LINE = '\r\u001b[2K';

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The parts of the process that a command may use. */
export interface Host {
  /** Opened on the first call. */
  readonly in: () => Input;
  readonly out: Output;
  readonly err: Output;
  /** Writes one sentence to standard error, on a line that begins with `assay:`. */
  readonly warn: Say;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when standard output cannot be written; never if only its reader stopped early. */
  readonly outLost: Promise<void>;
}

/** Writes one sentence to the user. */
export type Say = (sentence: string) => void;

/** What {@link Host.warn} of a host with this standard error does. */
export function warnerOf(err: Output): Say {
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
  const outLost = new Promise<Error>((resolve) => {
    for (const stream of [stdout, stderr])
      stream.on('error', (error: NodeJS.ErrnoException) => {
        // A reader such as `head` may stop early; a full disk is an error.
        if (error.code === 'EPIPE') return;
        lost = true;
        if (stream === stdout) resolve(error);
      });
  }).then((error) => {
    stderr.write(`assay: standard output cannot be written: ${error.message}\n`);
  });
  const err = outputOf(stderr, env);
  return {
    in: () => process.stdin,
    out: outputOf(stdout, env),
    err,
    warn: warnerOf(err),
    env,
    outLost,
    lost: () => lost,
  };
}

/** Wraps a stream for commands. FORCE_COLOR takes precedence over NO_COLOR, and both over the kind of stream. */
export function outputOf(stream: Stream, env: Host['env']): Output {
  const terminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    write: (text) => void stream.write(withoutWorkflowCommands(text)),
    writeCommands: (commands) => void stream.write(commands),
    live: terminal,
    colour: wantsColour(env) ?? terminal,
    // A terminal without a size says 0.
    width: () => stream.columns || 100,
  };
}

function wantsColour(env: Host['env']): boolean | null {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  const refused = env['NO_COLOR'];
  return refused !== undefined && refused !== '' ? false : null;
}

export const EXIT = {
  /** Conformant; or nothing failed, and the undecided requirements need more records. */
  ok: 0,
  /** A requirement failed and no waiver covers it. */
  failed: 1,
  /** Something could not be decided, or nothing was tested. */
  inconclusive: 2,
  /** The run could not be carried out: usage, target file, unreachable, invalid credentials, output not writable. */
  notCarriedOut: 3,
  /** Stopped by a signal. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

export function exitStatusOf(conclusion: Conclusion, tolerance: Tolerance): ExitStatus {
  if (isTolerated(conclusion, tolerance)) return EXIT.ok;
  if (conclusion === 'failed') return EXIT.failed;
  return conclusion === 'error' ? EXIT.notCarriedOut : EXIT.inconclusive;
}

/** The status if output was lost: `notCarriedOut`, unless a requirement failed, which is more important. */
export function statusWithLoss(status: ExitStatus, lost: boolean): ExitStatus {
  return lost && status !== EXIT.failed ? EXIT.notCarriedOut : status;
}

/** A wrong command line, or a file that it names and that cannot be used. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
}

/** What a command says after the first signal. */
export const STOPPING = 'stopping; press Ctrl+C again to quit now';

/**
 * Listens for SIGINT, SIGTERM and SIGHUP until `dispose` is called. The first signal aborts `signal` and calls `onFirst`. The
 * second calls `onSecond`, which must be synchronous, and ends the process with status 130. SIGHUP counts once, because a closed terminal may send it twice.
 */
export function watchInterruption(onFirst: () => void, onSecond?: () => void) {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) {
      onSecond?.();
      process.exit(EXIT.interrupted);
    }
    controller.abort();
    onFirst();
  };
  const onHangUp = (): void => {
    if (!controller.signal.aborted) listener();
  };
  process.on('SIGINT', listener).on('SIGTERM', listener).on('SIGHUP', onHangUp);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', listener).off('SIGTERM', listener).off('SIGHUP', onHangUp);
    },
  };
}

/** Resolves at the first signal. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    watchInterruption(resolve);
  });
}

/** Lets console.log and the like of custom checks print on standard error: standard output is for results. Returns what ends this. */
export function printOnStandardError(): () => void {
  const { log, info, debug } = console;
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  return () => void Object.assign(console, { log, info, debug });
}
