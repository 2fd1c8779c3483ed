import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../src/core/package-file.ts';

/** What a process left behind. */
export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process that goes on. */
export interface Going {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when either stream has shown the text; rejects when the process ends without. */
  readonly shows: (text: string) => Promise<void>;
  /** What standard output has received so far. */
  readonly output: () => string;
}

/** The command as users have it: compiled, in processes of its own. */
export interface Built {
  /** The file that Node.js is given. */
  readonly main: string;
  readonly start: (words: readonly string[], options: { cwd: string; env?: Record<string, string> }) => Going;
  readonly remove: () => void;
}

/** Compiles the command into a folder of its own, so that it is of now and disturbs no other build. */
export async function build(): Promise<Built> {
  const cache = packageFile('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'assay-test-'));
  await new Promise<void>((resolve) => {
    const compiler = packageFile('node_modules/typescript/bin/tsc');
    const words = [
      compiler,
      '-p',
      packageFile('tsconfig.build.json'),
      '--outDir',
      folder,
      '--sourceMap',
      'false',
    ];
    execFile(process.execPath, words, () => resolve());
  });
  const main = path.join(folder, 'src/cli/main.js');
  if (!existsSync(main)) throw new Error('the command could not be compiled');
  return {
    main,
    start: (words, { cwd, env = {} }) => go([main, ...words], cwd, env),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function go(words: readonly string[], cwd: string, env: Record<string, string>): Going {
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
      const look = (): void => {
        if (out.includes(text) || err.includes(text)) resolve();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(`ended without "${text}":\n${out}\n${err}`)));
      look();
    });
  return { process: child, ended, shows, output: () => out };
}
