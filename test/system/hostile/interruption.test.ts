import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { EvidenceWriter } from '../../../src/evidence/writer.ts';
import { conform } from '../../../src/run/conform.ts';
import { built } from '../../support/built.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Number of killed runs; use 50 for a release. */
const KILLS = Number(process.env['TEST_KILLS'] ?? 6);

const cwd = temporaryFolder('killed');
const assay = built.in(cwd);

function expectWhole(folder: string): void {
  const results = JSON.parse(readFileSync(path.join(folder, 'results.json'), 'utf8')) as Results;
  expect(results.format).toBe('assay-results/1');
  expect(readFileSync(path.join(folder, 'report.html'), 'utf8')).toMatch(/<\/html>\s*$/);
  expect(() => gunzipSync(readFileSync(path.join(folder, 'evidence.ndjson.gz')))).not.toThrow();
}

describe('a run that is killed', { timeout: 600_000 }, () => {
  it('leaves a complete folder or none, at any time', async () => {
    const began = performance.now();
    expect((await assay('run --suite smoke --quiet --out whole')).status).toBe(0);
    const lasts = performance.now() - began;
    expectWhole(path.join(cwd, 'whole'));
    let ended = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const named = kill % 2 === 0;
      // Alternates between the same folder, which contains an earlier run, and a new one.
      const run = built.start(['run', '--suite', 'smoke', '--quiet', ...(named ? ['--out', 'whole'] : [])], {
        cwd,
      });
      // The end, when folders are renamed, is tested more often.
      await sleep(kill % 3 === 0 ? lasts * (0.8 + Math.random() * 0.3) : lasts * Math.random());
      run.process.kill('SIGKILL');
      if ((await run.ended).status !== null) ended += 1;
      // The next use of the folder completes an interrupted replacement.
      expect((await assay('report whole --json')).status).toBe(0);
      expectWhole(path.join(cwd, 'whole'));
      const reports = path.join(cwd, 'reports');
      for (const name of existsSync(reports) ? readdirSync(reports) : [])
        if (!name.startsWith('.') && name !== 'latest') expectWhole(path.join(reports, name));
    }
    expect(ended).toBeLessThan(KILLS);
    // Temporary folders do no harm.
    expect((await assay('run --suite smoke --quiet --out whole')).status).toBe(0);
    expectWhole(path.join(cwd, 'whole'));
  });
});

// A full device simulates a full disk; not every system has one.
const FULL = '/dev/full';

describe.skipIf(!existsSync(FULL))('a full disk', () => {
  it('loses the evidence of a run but not its verdicts', async () => {
    const file = path.join(cwd, 'evidence.ndjson.gz');
    symlinkSync(FULL, file);
    const mock = await openMock({ records: 60 });
    const lost: string[] = [];
    const results = await conform(
      [targetOf(mock)],
      runOptions({
        seed: 1,
        evidenceFile: file,
        onEvidenceLost: (sentence) => lost.push(sentence),
        environment: {},
      }),
    );
    expect(
      results.targets[0]?.requirements.filter(({ verdict }) => verdict === 'pass').length,
    ).toBeGreaterThan(30);
    expect(results.run.complete).toBe(true);
    expect(lost).toEqual([expect.stringMatching(/^the evidence could not be written to .*no space left/)]);
  });

  it('is reported by the writer when it is closed', async () => {
    const writer = new EvidenceWriter(FULL, new Redactor());
    await expect(writer.close()).rejects.toThrow('no space left');
  });
});
