import { withoutWorkflowCommands } from '../core/workflow-commands.ts';

/** A stream that text is written to. */
export interface Output {
  /** Writes text. A CI runner that reads the stream runs no command that the text holds. */
  readonly write: (text: string) => void;
  /** Writes commands that a CI runner is to obey. What they quote must be escaped for them. */
  readonly writeCommands: (commands: string) => void;
  /** True for a terminal whose line can be rewritten. */
  readonly live: boolean;
  readonly colour: boolean;
  /** Columns; 100 where nobody knows. */
  readonly width: () => number;
}

/** Where a person types, if anybody does. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** What a command may touch of the process around it. */
export interface Host {
  /** Opened by the first call; a process that never asks never reads. */
  readonly in: () => Input;
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/** The host of a process, which also knows whether everything it was to tell could be written. */
export interface ProcessHost extends Host {
  readonly lost: () => boolean;
}

/** The host of this process. */
export function processHost(): ProcessHost {
  const { stdout, stderr, env } = process;
  let lost = false;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that went away, such as `head`, is no reason to fall over; a full disk is one to say so.
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

/** A stream as commands see it. FORCE_COLOR wins over NO_COLOR, and both over what the stream is. */
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
