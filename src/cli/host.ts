/** A stream that text is written to. */
export interface Output {
  readonly write: (text: string) => void;
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

/** The host of this process. */
export function processHost(): Host {
  const { stdout, stderr, env } = process;
  for (const stream of [stdout, stderr]) {
    // A reader that went away, such as `head`, is no reason to fall over.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return { in: () => process.stdin, out: outputOf(stdout, env), err: outputOf(stderr, env), env };
}

/** A stream as commands see it. FORCE_COLOR wins over NO_COLOR, and both over what the stream is. */
export function outputOf(stream: Stream, env: Host['env']): Output {
  const terminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    write: (text) => void stream.write(text),
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
