import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { judgeTarget, openMock, targetOf, verdictsOf } from '../../support/judge-mock.ts';
import { playwright, writeTargetFile } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('playwright');

test('Playwright Test gives a conforming provider the verdicts that assay run gives', async () => {
  const mock = await openMock({ records: 600 });
  const own = await judgeTarget(targetOf(mock), { suite: 'smoke' });
  const env = {
    ASSAY_TARGETS: writeTargetFile(folder, mock, { name: 'acme' }),
    ASSAY_SUITE: 'smoke',
    ASSAY_OUT: 'out',
    ASSAY_SEED: '42',
  };
  expect(await playwright('test', [], { cwd: folder, env })).toMatchObject({ status: 0, err: '' });
  const file = path.join(folder, 'out', 'results.json');
  const { outcome, targets } = JSON.parse(readFileSync(file, 'utf8')) as Results;
  expect(outcome).toBe('conformant');
  expect(targets.map(verdictsOf)).toEqual([verdictsOf(own)]);
});
