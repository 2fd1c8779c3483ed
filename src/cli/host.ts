import { withoutWorkflowCommands } from '../core/visible-text.ts';
import { visible } from '../report/wording/safe-text.ts';

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

/** The host of a process, with information about lost output. */
interface ProcessHost extends Host {
  readonly lost: () => boolean;
}

/** The host of this process. */
export function processHost(): ProcessHost {
  const { stdout, stderr, env } = process;
  let lost = false;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader such as `head` may stop early; a full disk is an error.
      if (error.code === 'EPIPE') return;
      lost = true;
      if (stream === stdout) stderr.write(`assay: standard output cannot be written: ${error.message}\n`);
    });
  }
  return {
    in: () => process.stdin,
    out: outputOf(stdout, env),
    err: outputOf(stderr, env),
    env,
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
