import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMock } from '../../../src/mock/index.ts';
import { said } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('diagnosis');

test('assay doctor proposes a run with the environment file that it was given, on one line', async () => {
  const mock = await startMock({ records: 3 });
  onTestFinished(() => mock.close());
  const { authUrl, baseUrl, tenant, credentials } = mock;
  const target = { authUrl, baseUrl, tenant, credentials: { ...credentials, clientSecret: '${SECRET}' } };
  // Longer than a line of the report.
  const [file, env] = [path.join(folder, `acme-${'x'.repeat(110)}.yaml`), path.join(folder, 'ci.env')];
  writeFileSync(file, JSON.stringify(target));
  writeFileSync(env, `SECRET='${credentials.clientSecret}'\n`);
  const { status, out } = await said(['doctor', file, '--env', env, '--suite', 'smoke', '--seed', '7']);
  expect(status).toBe(0);
  expect(out.split('\n')).toContain(`Next: assay run ${file} --env ${env} --suite smoke --seed 7`);
});
