import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../src/core/package-file.ts';
import { built } from './built.ts';

/** A folder in which the current Assay is installed next to Playwright. */
export interface Home {
  readonly folder: string;
  /** Runs a command line in a subfolder; the status is null if a signal ended it. */
  readonly run: (
    words: readonly string[],
    options?: { readonly folder?: string; readonly env?: { readonly [name: string]: string } },
  ) => Promise<{ readonly status: number | null; readonly out: string; readonly err: string }>;
}

/** Makes such a home of an empty folder. */
export function makeHome(folder: string): Home {
  const modules = path.join(folder, 'node_modules');
  const assay = path.join(modules, 'assay');
  const bin = path.join(modules, '.bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(assay);
  cpSync(packageFile('package.json'), path.join(assay, 'package.json'));
  symlinkSync(path.join(path.dirname(built.main), '../..'), path.join(assay, 'dist'));
  for (const name of ['@playwright', 'playwright']) {
    symlinkSync(packageFile(`node_modules/${name}`), path.join(modules, name));
  }
  writeFileSync(path.join(folder, 'package.json'), '{"name": "home", "private": true, "type": "module"}\n');
  const scripts = { assay: built.main, playwright: packageFile('node_modules/@playwright/test/cli.js') };
  for (const [name, script] of Object.entries(scripts)) {
    const file = path.join(bin, name);
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
    chmodSync(file, 0o755);
  }
  const PATH = [bin, path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter);
  return {
    folder,
    run: ([command = '', ...words], { folder: below = '.', env = {} } = {}) =>
      new Promise((resolve) => {
        const options = { cwd: path.join(folder, below), env: { PATH, HOME: folder, ...env } };
        execFile(command, words, options, (error, out, err) => {
          const status = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
          resolve({ status, out, err });
        });
      }),
  };
}
