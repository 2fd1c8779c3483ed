import { type ChildProcess, spawn } from 'node:child_process';
import { inject } from 'vitest';

/** Output and status of a finished process. */
export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running process. */
export interface Going {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when either stream contains the text; rejects if the process ends first. */
  readonly shows: (text: string) => Promise<void>;
  /** Standard output so far. */
  readonly output: () => string;
}

const { main, sources } = inject('build');

/** The command as users run it: the build of `build-once.ts`, in separate processes. */
export const built = {
  /** The file that Node.js runs. */
  main,
  /** Absolute paths of the sources of a built file, including packages; empty for any other file. */
  sourcesOf: (file: string): readonly string[] => sources[file] ?? [],
  start: (
    words: readonly string[],
    { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  ): Going => go([main, ...words], cwd, env),
  /** Runs command lines, whose words blanks separate, in a folder. */
  in:
    (cwd: string, env: Readonly<Record<string, string>> = {}) =>
    (line: string): Promise<Ended> =>
      go([main, ...line.split(' ')], cwd, env).ended,
};

function go(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Going {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, words, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (status) => resolve({ status, out, err }));
  });
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (out.includes(text) || err.includes(text)) resolve();
      };
      child.stdout.on('data', check);
      child.stderr.on('data', check);
      child.on('close', () => reject(new Error(`ended without "${text}":\n${out}\n${err}`)));
      check();
    });
  return { process: child, ended, shows, output: () => out };
}
