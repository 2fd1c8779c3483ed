import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('earlier');
const assay = built.in(cwd);

/** Converts results to those of an earlier version: without causes, with different reasons. */
function makeEarlier(folder: string): void {
  const file = path.join(cwd, folder, 'results.json');
  const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
  const targets = results.targets.map((target) => ({
    ...target,
    requirements: target.requirements.map(({ cause, ...one }) =>
      cause === null ? one : { ...one, reason: 'an earlier reason' },
    ),
  }));
  writeFileSync(file, JSON.stringify({ ...results, targets }));
}

beforeAll(async () => {
  for (const folder of ['runs/earlier', 'runs/now'])
    expect((await assay(`run --suite smoke --quiet --out ${folder}`)).status).toBe(0);
  makeEarlier('runs/earlier');
});

test.each([
  'report runs/earlier --format html,junit,markdown,sarif,csv --out again',
  'diff runs/earlier runs/now',
  'history runs',
])('%s opens results without causes', async (line) => {
  const { status, out, err } = await assay(line);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  if (line.startsWith('report')) expect(out).toContain('an earlier reason');
});
