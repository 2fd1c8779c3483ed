import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { performVerify } from '../../../src/cli/verify/action.ts';
import { sealRun } from '../../../src/evidence/seal/seal-run.ts';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { dataOf, mixed } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const home = process.cwd();
beforeAll(() => process.chdir(temporaryFolder('verify')));
afterAll(() => process.chdir(home));

test.each(['20261121-051331-042-9f3c1a', path.join('reports', '20261121-051331-042-9f3c1b')])(
  'assay verify %s says that results.json is missing',
  async (run) => {
    const folder = run.startsWith('reports') ? run : path.join('reports', run);
    mkdirSync(folder, { recursive: true });
    const data = dataOf(mixed());
    await writeReports(data, folder, []);
    await sealRun(data.results, null, folder, null);
    rmSync(path.join(folder, 'results.json'));
    const host = fakeHost();
    expect(await performVerify({ run }, host)).toBe(1);
    expect(host.out.text()).toContain('results.json is missing');
  },
);
