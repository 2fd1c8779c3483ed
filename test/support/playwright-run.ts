import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../src/core/package-file.ts';
import type { Mock } from '../../src/mock/index.ts';
import type { TargetParts } from '../../src/target/make.ts';

/** What `playwright test` left behind. */
export interface PlaywrightRun {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the suite by Playwright Test, with the configuration of this repository. */
export function playwrightTest({
  output,
  ...environment
}: Readonly<Record<string, string>> & { readonly output: string }): Promise<PlaywrightRun> {
  return new Promise((resolve) => {
    const child = spawn('npx', ['playwright', 'test', '--output', output], {
      cwd: packageFile('.'),
      env: { ...process.env, ...environment, FORCE_COLOR: '0' },
    });
    let printed = '';
    const take = (chunk: Buffer): void => {
      printed += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('close', (status) => resolve({ status, output: printed }));
  });
}

/** Writes the target file of a mock and gives its path. */
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
