import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { performReport } from '../../../src/cli/report/action.ts';
import { gatherReportData } from '../../../src/cli/shared/run-files/report-data.ts';
import type { Results } from '../../../src/core/results.ts';
import { renewManifest } from '../../../src/evidence/seal/manifest.ts';
import { sealRun } from '../../../src/evidence/seal/seal-run.ts';
import { verifyFolder } from '../../../src/evidence/seal/verify.ts';
import { startMock } from '../../../src/mock/index.ts';
import { FormatError } from '../../../src/report/report-data.ts';
import { conform } from '../../../src/run/conform.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const scratch = temporaryFolder('report');
const folder = path.join(scratch, 'run');
const names = Array.from({ length: 26 }, (_none, index) => (index === 9 ? 'team a/b' : `t${index}`));
let run: Results;

beforeAll(async () => {
  const good = await startMock({ records: 12 });
  const bad = await startMock({ records: 12, defects: ['link-absolute'] });
  mkdirSync(folder);
  try {
    run = await conform(
      names.map((name, index) => targetOf(index === 4 ? bad : good, { name })),
      runOptions({
        suite: 'smoke',
        only: ['link/relative', 'list/envelope'],
        seed: 1,
        evidenceFile: path.join(folder, 'evidence.ndjson.gz'),
      }),
    );
  } finally {
    await Promise.all([good.close(), bad.close()]);
  }
  writeFileSync(path.join(folder, 'results.json'), JSON.stringify(run));
});

describe('assay report --target', () => {
  it('shows any target of a run in full, with only its own evidence, in a separate folder', async () => {
    for (const name of names) {
      const host = fakeHost();
      expect(await performReport({ run: folder, target: name, format: ['html', 'har'] }, host)).toBe(0);
      const place = `${folder}-${name.replace(/[ /]/gu, '-')}`;
      const page = readFileSync(path.join(place, 'report.html'), 'utf8');
      expect(page).toContain(`Requirements of ${name}"`);
      expect(page).toMatch(/id="exchange-1-1"/u);
      const { log } = JSON.parse(readFileSync(path.join(place, 'evidence.har'), 'utf8')) as {
        log: { entries: unknown[] };
      };
      const traffic = run.targets.find((one) => one.name === name)?.traffic;
      expect(log.entries).toHaveLength(traffic?.requests ?? 0);
      expect(host.out.text()).toContain(name === 't4' ? 'NON-CONFORMANT' : 'PASSED IN PART');
    }
    expect(existsSync(path.join(folder, 'report.html'))).toBe(false);
  });

  it('rejects an unknown target, and suggests the closest one', async () => {
    const refused = performReport({ run: folder, target: 't99' }, fakeHost());
    await expect(refused).rejects.toThrow('the run has no target "t99"; did you mean');
  });

  it('returns only the results of that target', async () => {
    const host = fakeHost();
    await performReport({ run: folder, target: 't4', json: true }, host);
    const given = JSON.parse(host.out.text()) as Results;
    expect(given.targets.map(({ name }) => name)).toEqual(['t4']);
    expect(given.outcome).toBe('non-conformant');
  });
});

describe('assay report --format', () => {
  it('adds to the manifest what it wrote before a format that cannot be written', async () => {
    await sealRun(run, null, folder, null);
    const page = path.join(folder, 'report.html');
    writeFileSync(page, 'as it was');
    await renewManifest(folder, ['report.html']);
    const browser = path.join(scratch, 'browser');
    writeFileSync(browser, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('ASSAY_BROWSER', browser);
    onTestFinished(() => void vi.unstubAllEnvs());
    const writing = performReport({ run: folder, format: ['junit', 'pdf'] }, fakeHost());
    await expect(writing).rejects.toThrow(FormatError);
    expect(readFileSync(page, 'utf8')).toBe('as it was');
    expect(existsSync(path.join(folder, 'junit.xml'))).toBe(true);
    expect((await verifyFolder(folder, null)).problems).toEqual([]);
  });
});

describe('evidence of a run of many targets', () => {
  it('is read only for targets that a page shows, or for all if a format shows all', async () => {
    const read = async (format: 'html' | 'allure'): Promise<readonly string[]> =>
      [
        ...(
          await gatherReportData(run, folder, { formats: [format], warn: () => undefined })
        ).evidence.keys(),
      ].toSorted();
    expect(await read('html')).toEqual(['t4']);
    expect(await read('allure')).toEqual(names.toSorted());
  });
});
