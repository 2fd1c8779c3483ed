import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeCertification } from '../../../src/cli/shared/run-files/certification-files.ts';
import { writeArchive } from '../../../src/evidence/seal/archive.ts';
import { filesOf } from '../../../src/evidence/seal/manifest.ts';
import { sealRun } from '../../../src/evidence/seal/seal-run.ts';
import { makeKeyPair, signingKey, verifyingKey } from '../../../src/evidence/seal/signature.ts';
import { verifyFolder } from '../../../src/evidence/seal/verify.ts';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import { conform } from '../../../src/run/conform.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { dataOf } from '../../support/report/sample.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Number of flipped bits, one at a time. */
const FLIPS = 400;

/** The folder of a certification of a small provider. */
async function certified(folder: string, privatePem: string): Promise<void> {
  const mock = await openMock({ records: 60 });
  const results = await conform(
    [targetOf(mock)],
    runOptions({ suite: 'smoke', evidenceFile: path.join(folder, 'evidence.ndjson.gz') }),
  );
  const key = signingKey(privatePem, 'the key');
  await writeReports(dataOf(results), folder, ['junit', 'markdown', 'sarif', 'csv', 'allure']);
  await writeCertification(results, null, folder, key, fakeHost());
  await sealRun(results, null, folder, key);
  await writeArchive(folder);
}

it('a flipped bit anywhere in a run is detected, and its file is named', async () => {
  const folder = temporaryFolder('flips');
  const pair = makeKeyPair();
  await certified(folder, pair.privatePem);
  const key = verifyingKey(pair.publicPem, 'the key');
  const seals = ['manifest.json', 'manifest.sig', 'submission.zip'];
  const files = [...filesOf(folder), ...seals];
  expect(files).toContain('targets.json');
  const anywhere = fc.record({
    file: fc.constantFrom(...files),
    // Not fc.double, whose values are nearly all close to 0.
    place: fc.nat(999_999).map((part) => part / 1_000_000),
    bit: fc.nat(7),
  });
  let found = 0;
  for (const { file, place, bit } of fc.sample(anywhere, { seed: 42, numRuns: FLIPS })) {
    const whole = path.join(folder, file);
    const before = readFileSync(whole);
    const after = Buffer.from(before);
    const at = Math.floor(place * after.length);
    after[at] = (after[at] ?? 0) ^ (1 << bit);
    writeFileSync(whole, after);
    // With and without the key of the signer.
    const { problems } = await verifyFolder(folder, found % 2 === 0 ? key : null);
    expect(problems[0], `bit ${bit} of byte ${at} of ${file}`).toContain(file);
    writeFileSync(whole, before);
    found += 1;
  }
  expect(found).toBe(FLIPS);
  expect((await verifyFolder(folder, key)).problems).toEqual([]);
});
