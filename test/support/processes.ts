import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { parse } from 'yaml';
import type { Results } from '../../src/core/results.ts';
import { built, type Ended, type Going } from './built.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The working folder of the current test. */
export let cwd = '';
let going: Going[] = [];

/** Gives every test of a file an empty folder, and stops the processes that the test started. */
export function useProcesses(): void {
  beforeEach(() => {
    cwd = temporaryFolder('cli');
    going = [];
  });
  afterEach(() => {
    for (const one of going) one.process.kill('SIGKILL');
  });
}

/** Starts a command line, whose words blanks separate. */
export function start(line: string, env: Record<string, string> = {}): Going {
  const started = built.start(line.split(' '), { cwd, env });
  going.push(started);
  return started;
}

export function assay(line: string): Promise<Ended> {
  return start(line).ended;
}

export function resultsIn(folder: string): Results {
  return JSON.parse(readFileSync(path.join(cwd, folder, 'results.json'), 'utf8')) as Results;
}

export function hidden(folder = '.'): readonly string[] {
  return readdirSync(path.join(cwd, folder)).filter((name) => name.startsWith('.'));
}

/** The environment of a process that runs a script first. */
export function preloaded(script: string): Record<string, string> {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
}

interface MockFile {
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  readonly otherCredentials: { readonly clientSecret: string };
  readonly expiredToken: string;
}

/** Starts `assay mock` with options and writes the target file that it prints to `mock.yaml`. */
export async function mock(options = ''): Promise<{ readonly going: Going; readonly file: MockFile }> {
  const started = start(`mock ${options}`.trim());
  await started.shows('Press Ctrl+C');
  const yaml = started.output();
  writeFileSync(path.join(cwd, 'mock.yaml'), yaml, { mode: 0o600 });
  return { going: started, file: parse(yaml) as MockFile };
}
