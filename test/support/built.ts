import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { build as bundle } from 'rolldown';
import { buildInto } from '../../rolldown.config.ts';
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

/** The command as users have it: built, in processes of its own. */
export interface Built {
  /** The file that Node.js is given. */
  readonly main: string;
  /** Absolute paths of the sources that a built file was made of, packages' own among them; none for another file. */
  readonly sourcesOf: (file: string) => readonly string[];
  readonly start: (words: readonly string[], options: { cwd: string; env?: Record<string, string> }) => Going;
  readonly remove: () => void;
}

/** Builds the command into a folder of its own, as if it were installed there: it is of now and disturbs no other build. */
export async function build(): Promise<Built> {
  const cache = packageFile('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'assay-test-'));
  cpSync(packageFile('package.json'), path.join(folder, 'package.json'));
  symlinkSync(packageFile('schemas'), path.join(folder, 'schemas'));
  const dist = path.join(folder, 'dist');
  const { output } = await bundle(buildInto(dist));
  const main = path.join(dist, 'src/cli/main.js');
  return {
    main,
    sourcesOf: (file) =>
      output.flatMap((made) =>
        made.type === 'chunk' && path.join(dist, made.fileName) === file ? made.moduleIds : [],
      ),
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
