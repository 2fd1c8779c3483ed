import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { renewManifest } from '../../../src/evidence/seal/manifest.ts';
import type { Verification } from '../../../src/evidence/seal/verify.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { built } from '../../support/built.ts';
import { writeTargetFile } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('audit');
const assay = built.in(cwd);
let provider: Mock;

beforeAll(async () => {
  provider = await startMock({ records: 3 });
});
afterAll(() => provider.close());

describe('keygen, verify, replay and report on a finished run', () => {
  test('verify and replay find a forged verdict in a signed run', async () => {
    expect(await assay('keygen acme')).toMatchObject({ status: 0, err: '' });
    expect(statSync(path.join(cwd, 'acme.key')).mode & 0o777).toBe(0o600);
    expect((await assay('keygen acme')).err).toBe('assay: acme.key exists already; choose another name\n');
    const lost = await assay('keygen acme.pub/lost');
    expect(lost.status).toBe(3);
    expect(lost.err).toMatch(
      /^assay: acme\.pub\/lost\.key cannot be written: part of the path is a file, not a folder\n$/,
    );

    expect((await assay('run --suite smoke --out run --quiet --sign acme.key')).status).toBe(0);
    const whole = await assay('verify run --key acme.pub --replay');
    expect(whole).toMatchObject({ status: 0, err: '' });
    expect(whole.out).toMatch(
      /3 files unchanged, signed by the given key\.\nReplayed from evidence: .* identical/u,
    );

    const file = path.join(cwd, 'run', 'results.json');
    const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
    const text = JSON.stringify(results, null, 2).replace('"cases": 1,', '"cases": 9,');
    writeFileSync(file, `${text}\n`);
    const changed = await assay('verify run --key acme.pub');
    expect(changed.status).toBe(1);
    expect(changed.out).toMatch(/^results\.json was changed/u);
    const again = await assay('replay run');
    expect(again.status).toBe(1);
    expect(again.out).toContain('cases: 9, now 1');
  });

  test('files rendered later are added to an unsigned run, or written next to a signed one', async () => {
    await assay('keygen later');
    const smoke = 'run --suite smoke --quiet --only token/*';
    await assay(`${smoke} --out plain`);
    await assay(`${smoke} --out sealed --sign later.key`);
    for (const run of ['plain', 'sealed'])
      for (const format of ['csv,allure,html', 'allure'])
        expect(await assay(`report ${run} --format ${format}`)).toMatchObject({ status: 0, err: '' });
    expect(existsSync(path.join(cwd, 'plain/requirements.csv'))).toBe(true);
    expect(existsSync(path.join(cwd, 'sealed-report/requirements.csv'))).toBe(true);
    expect((await assay('verify plain')).status).toBe(0);
    expect((await assay('verify sealed --key later.pub')).status).toBe(0);
    const other = await assay('verify sealed --key acme.pub --json');
    const { problems, keyProblem } = JSON.parse(other.out) as Verification;
    expect([other.status, problems]).toEqual([1, [keyProblem]]);

    expect((await assay('report sealed --format csv --out sealed')).err).toBe(
      'assay: --out sealed is the folder of the run, which is signed, so nothing can be added; choose another\n',
    );
    const foreign = await assay('report sealed --format har --out plain');
    expect([foreign.status, foreign.err]).toEqual([
      3,
      'assay: --out plain contains another run, whose files would be replaced; choose another\n',
    ]);

    writeFileSync(
      path.join(cwd, 'plain/results.json'),
      `${readFileSync(path.join(cwd, 'plain/results.json'))} `,
    );
    await assay('report plain --format junit');
    const { status, out } = await assay('verify plain');
    expect({ status, out }).toEqual({
      status: 1,
      out: expect.stringMatching(/^results\.json was changed: [^\n]*\n$/u),
    });
  });

  test('a key from the environment signs, and is never printed', async () => {
    await assay('keygen env');
    const pem = readFileSync(path.join(cwd, 'env.key'), 'utf8');
    const line = 'run --suite smoke --out smoke --quiet';
    const { status, out, err } = await built.in(cwd, { ASSAY_SIGNING_KEY: pem })(line);
    expect(status).toBe(0);
    expect(out + err).not.toContain(pem.split('\n')[1]);
    expect((await assay('verify smoke --key env.pub')).status).toBe(0);
    expect((await built.in(cwd, { ASSAY_SIGNING_KEY: 'no key' })(line)).status).toBe(3);
  });

  test('a certification is written as one archive, which its recipient can verify and replay', async () => {
    const { expiredToken } = provider;
    const file = writeTargetFile(cwd, provider, { name: 'acme-listed', expiredToken });
    // There is no browser on the PATH.
    const without = built.in(cwd, { PATH: '', PLAYWRIGHT_BROWSERS_PATH: cwd });
    const run = await without(`run ${file} --suite certify --seed 3 --format junit,har --out filed --quiet`);
    // The list is short, and nothing waits for a token to expire, because there is an expired one.
    expect(run.status).toBe(2);
    expect(run.err).toMatch(/^assay: certificate\.pdf was not written: .*was not found/mu);
    expect(run.err).toMatch(/^assay: the certificate has no proof/mu);
    const zip = path.join('filed', 'submission.zip');
    const whole = await assay(`verify ${zip} --replay --json`);
    expect(JSON.parse(whole.out)).toMatchObject({
      problems: [],
      rendered: {
        same: ['report.html', 'junit.xml', 'certificate.html', 'targets.json'],
        different: [],
        uncompared: ['evidence.har'],
      },
    });
    expect(whole.status).toBe(0);
    const targets = readFileSync(path.join(cwd, 'filed', 'targets.json'), 'utf8');
    expect(targets).toContain('"clientSecret": "[client-secret]"');

    const bytes = readFileSync(path.join(cwd, zip));
    writeFileSync(path.join(cwd, 'other.zip'), bytes.subarray(0, -1));
    const changed = await assay('verify other.zip');
    expect(changed).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^other\.zip was changed/u),
    });
    writeFileSync(path.join(cwd, 'no.zip'), 'no zip');
    expect(await assay('verify no.zip')).toMatchObject({
      status: 3,
      err: expect.stringMatching(/^assay: no\.zip is not an Assay submission/u),
    });
    expect((await assay('verify absent.zip')).err).toMatch(/^assay: there is no run at absent\.zip/u);
  });

  test('a report or certificate that was forged with its digest differs from the rendered one', async () => {
    // The certification of the test before.
    const out = path.join(cwd, 'filed');
    rmSync(path.join(out, 'submission.zip'));
    const files = ['report.html', 'junit.xml', 'certificate.html', 'targets.json'];
    for (const file of files) {
      const whole = readFileSync(path.join(out, file), 'utf8');
      const forged = whole.replace('acme-listed', 'forged');
      expect(forged).not.toBe(whole);
      writeFileSync(path.join(out, file), forged);
    }
    await renewManifest(out, files);
    expect((await assay('verify filed')).status).toBe(0);
    const forged = await assay('verify filed --replay --json');
    expect(forged.status).toBe(1);
    expect(JSON.parse(forged.out)).toMatchObject({ problems: [], rendered: { same: [], different: files } });
  });

  test('missing files are reported', async () => {
    expect((await assay('replay nowhere')).err).toMatch(/^assay: there is no run at nowhere/u);
    expect((await assay('run --sign no.key')).err).toMatch(/^assay: the signing key no\.key cannot be read/u);
    expect((await assay('replay run --target acme')).err).toBe(
      'assay: the run has no target "acme"; it has reference-provider\n',
    );
    for (const [place, why] of [
      ['nosuch/x.html', 'no such file or folder'],
      ['smoke', 'it is a folder, not a file'],
    ]) {
      const { status, err } = await assay(`history . --out ${place}`);
      expect([status, err]).toEqual([3, `assay: ${place} cannot be written: ${why}\n`]);
    }
    rmSync(path.join(cwd, 'smoke', 'evidence.ndjson.gz'));
    const { status, err } = await assay('replay smoke');
    expect(status).toBe(3);
    expect(err).toMatch(/^assay: the evidence file .*evidence\.ndjson\.gz is missing/u);
  });
});
