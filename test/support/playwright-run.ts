import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../src/core/package-file.ts';
import type { Mock } from '../../src/mock/index.ts';
import type { TargetParts } from '../../src/target/make.ts';
import { built, type Ended } from './built.ts';

/** Runs a Playwright command with the configuration that ships with Assay. */
export function playwright(
  command: 'test' | 'merge-reports',
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ended> {
  const cli = packageFile('node_modules/@playwright/test/cli.js');
  const config = path.join(path.dirname(built.main), '../playwright/config.js');
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, command, '--config', config, ...words], {
      cwd,
      env: { PATH, HOME, FORCE_COLOR: '0', ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('close', (status) => resolve({ status, out, err }));
  });
}

/** Writes the target file of a mock and returns its path. */
export function writeTargetFile(
  folder: string,
  mock: Mock,
  { name, ...parts }: Partial<TargetParts> & { readonly name: string },
): string {
  const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
  const limits = { requestsPerSecond: 1000 };
  const target = { name, authUrl, baseUrl, tenant, credentials, otherCredentials, limits, ...parts };
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(target), { mode: 0o600 });
  return file;
}
