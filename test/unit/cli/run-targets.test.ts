import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openTargets } from '../../../src/cli/shared/run-targets.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('run-targets');

async function warningsFor(url: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const file = path.join(folder, 'target.json');
  const credentials = { clientId: 'client', clientSecret: '${SECRET}', scope: 'printers.read' };
  writeFileSync(file, JSON.stringify({ name: 'acme', authUrl: url, baseUrl: url, credentials }));
  const opened = await openTargets({ files: [file], envFile: null }, { SECRET: 'a-secret', ...env });
  await opened.close();
  return opened.warnings;
}

test('names the proxy that can answer in place of a provider', async () => {
  const env = { HTTP_PROXY: 'http://proxy.example:3128', HTTPS_PROXY: 'http://proxy.example:3128' };
  const through = (warnings: readonly string[]) =>
    warnings.filter((one) => one.includes('proxy.example:3128'));
  expect(through(await warningsFor('http://api.example', env))).toHaveLength(1);
  expect(through(await warningsFor('https://api.example', env))).toEqual([]);
  expect(through(await warningsFor('http://api.example', { ...env, NO_PROXY: 'api.example' }))).toEqual([]);
  await expect(
    warningsFor('http://api.example', { HTTP_PROXY: 'ftp://proxy.example' }),
  ).resolves.toBeDefined();
});
