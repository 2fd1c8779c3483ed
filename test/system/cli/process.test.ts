import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  assay,
  cwd,
  hidden,
  mock,
  preloaded,
  resultsIn,
  start,
  useProcesses,
} from '../../support/processes.ts';

useProcesses();

describe('assay run', () => {
  test('tests the embedded reference provider', async () => {
    const { status, out, err } = await assay('run --seed 7 --format junit,markdown');
    expect({ status, err }).toEqual({
      status: 0,
      err: expect.stringContaining('reference-provider: started'),
    });
    expect(out).toMatch(/^CONFORMANT\n/u);
    expect(out).toMatch(
      /Report: reports\/\d{8}-\d{6}-\d{3}-[0-9a-f]{6}\/report\.html\nSuite full, seed 7\n$/u,
    );
    expect(readdirSync(path.join(cwd, 'reports/latest')).toSorted()).toEqual([
      'evidence.ndjson.gz',
      'junit.xml',
      'manifest.json',
      'report.html',
      'results.json',
      'summary.md',
    ]);
    const { run, targets } = resultsIn('reports/latest');
    expect(run).toMatchObject({
      seed: 7,
      complete: true,
      command: 'assay run --seed 7 --format junit,markdown',
    });
    expect(targets[0]?.records).toEqual({ printers: 1234 });
    expect(hidden('reports')).toEqual([]);

    const again = await assay('report latest --format markdown --out rendered');
    expect(again.status).toBe(0);
    expect(again.out).toMatch(/^CONFORMANT\n[\s\S]*Written: rendered\/summary\.md\n$/u);
  });

  test('contacts the embedded provider directly with any proxy settings', async () => {
    // No server listens there.
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    const env = Object.fromEntries(names.map((name) => [name, 'http://127.0.0.1:1']));
    for (const line of ['run --suite smoke', 'doctor --suite smoke', 'prove --only link-absolute']) {
      const { status, out, err } = await start(line, env).ended;
      expect(status, `${line}: ${out}${err}`).toBe(0);
    }
  });

  test('prints only results on standard output with --json', async () => {
    const { status, out, err } = await assay('run --json --suite smoke --out mine');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual(resultsIn('mine'));
    expect(err).toContain('PASSED IN PART');
    const quiet = await assay('run --json --quiet --only count/* --out mine');
    expect(quiet).toMatchObject({ status: 0, err: '' });
  });

  test('fails a provider with a defect, and reveals no secret', async () => {
    const { file } = await mock('--defect token-answered-201 --records 30');
    const { status, out, err } = await assay('run mock.yaml --out mine --quiet --format junit,markdown');
    expect(status).toBe(1);
    expect(out).toMatch(/^NON-CONFORMANT\n/u);
    expect(out).toContain('✗ token/issued');
    expect(out).toMatch(/^ {4}curl .*\$CLIENT_SECRET/mu);
    const evidence = gunzipSync(readFileSync(path.join(cwd, 'mine/evidence.ndjson.gz'))).toString('utf8');
    const files = readdirSync(path.join(cwd, 'mine')).map((name) =>
      readFileSync(path.join(cwd, 'mine', name), 'utf8'),
    );
    const everything = [out, err, evidence, ...files].join('\n');
    for (const secret of [
      file.credentials.clientSecret,
      file.otherCredentials.clientSecret,
      file.expiredToken,
    ]) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  test('tests several targets in one run', async () => {
    await mock('--records 3');
    const text = readFileSync(path.join(cwd, 'mock.yaml'), 'utf8');
    writeFileSync(path.join(cwd, 'two.yaml'), text.replace('name: mock', 'name: two'), { mode: 0o600 });
    const { status, out } = await assay('run mock.yaml two.yaml --suite smoke --out mine --quiet');
    expect(status).toBe(0);
    expect(out).toContain('Targets');
    expect(resultsIn('mine').targets.map((one) => one.name)).toEqual(['mock', 'two']);
  });

  test('rejects a foreign folder before the first request', async () => {
    mkdirSync(path.join(cwd, 'mine'));
    writeFileSync(path.join(cwd, 'mine/thesis.txt'), 'dear');
    const { status, out, err } = await assay('run --out mine');
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toBe(
      'assay: --out mine is not empty and contains no earlier run of Assay; choose another folder\n',
    );
    expect(readdirSync(path.join(cwd, 'mine'))).toEqual(['thesis.txt']);
  });

  test.each([
    ['reports', ''],
    ['file/below', ' --out file/below'],
    ['/proc/assay', ' --out /proc/assay'],
  ])('sends nothing if %s cannot be written', async (place, option) => {
    writeFileSync(path.join(cwd, 'reports'), 'a file');
    writeFileSync(path.join(cwd, 'file'), 'a file');
    const { going: served } = await mock('--log requests.log');
    const { status, out, err } = await assay(`run mock.yaml --suite smoke --json${option}`);
    served.process.kill('SIGTERM');
    await served.ended;
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err.trim().split('\n')).toEqual([expect.stringContaining(`${place} cannot be written`)]);
    expect(readFileSync(path.join(cwd, 'requests.log'), 'utf8')).toBe('');
  });

  test('prints the verdicts and leaves no folder if evidence cannot be written', async () => {
    const script = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { createWriteStream } = fs;
      fs.createWriteStream = (file, ...rest) =>
        createWriteStream(String(file).endsWith('evidence.ndjson.gz') ? '/nowhere/e.gz' : file, ...rest);
      syncBuiltinESMExports();`;
    const run = start('run --suite smoke --quiet --out mine', preloaded(script));
    const { status, out, err } = await run.ended;
    expect(status).toBe(3);
    expect(out).toMatch(/^PASSED IN PART\n/u);
    expect(out).not.toContain('Report:');
    expect(err).toMatch(
      /^assay: the evidence could not be written .*; the run is printed but not written, because .*\n$/u,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('rejects an incomplete target in the environment', async () => {
    const half = { ASSAY_AUTH_URL: '', ASSAY_BASE_URL: '', ASSAY_CLIENT_ID: 'x', ASSAY_CLIENT_SECRET: 'y' };
    const { status, err } = await start('run', { ...half, ASSAY_SCOPE: 'z' }).ended;
    expect(status).toBe(3);
    expect(err).toMatch(/ASSAY_AUTH_URL.*ASSAY_BASE_URL/u);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('appends its summary to the job summary', async () => {
    const summary = path.join(cwd, 'summary.md');
    writeFileSync(summary, 'before\n');
    const run = start('run --suite smoke --quiet', { GITHUB_STEP_SUMMARY: summary });
    expect((await run.ended).status).toBe(0);
    expect(readFileSync(summary, 'utf8')).toMatch(/^before\n## Assay: passed in part\n/u);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('stops cleanly after one %s', async (signal) => {
    await mock('--latency 150');
    const run = start('run mock.yaml --out mine');
    await run.shows('mock: started');
    await new Promise((resolve) => setTimeout(resolve, 400));
    run.process.kill(signal);
    const { status, out, err } = await run.ended;
    expect(status).toBe(130);
    expect(err).toContain('assay: stopping; press Ctrl+C again to quit now\n');
    expect(out).toContain('The run is incomplete: it was interrupted, or a shard is missing.');
    expect(resultsIn('mine').run.complete).toBe(false);
    expect(hidden()).toEqual([]);
  });

  test('exits immediately after the second signal, and leaves no files', async () => {
    await mock('--latency 5000');
    const run = start('run mock.yaml --out mine');
    await run.shows('mock: started');
    await new Promise((resolve) => setTimeout(resolve, 200));
    run.process.kill('SIGINT');
    run.process.kill('SIGTERM');
    const { status } = await run.ended;
    expect(status).toBe(130);
    if (!existsSync(path.join(cwd, 'mine'))) expect(readdirSync(cwd)).toEqual(['mock.yaml']);
    expect(hidden()).toEqual([]);
  });
});

describe('assay run, stopped while its report is written', () => {
  // Writing results.json never completes.
  const script = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeFile } = fs;
    fs.writeFile = (file, ...rest) => {
      if (!String(file).endsWith('results.json')) return writeFile(file, ...rest);
      process.stderr.write('writing');
      return new Promise((resolve) => setInterval(resolve, 2 ** 31 - 1));
    };
    syncBuiltinESMExports();`;

  test('leaves no files after the second signal', async () => {
    const run = start('run --suite smoke --out mine', preloaded(script));
    await run.shows('writing');
    expect(hidden()).toHaveLength(1);
    run.process.kill('SIGINT');
    await run.shows('press Ctrl+C again');
    run.process.kill('SIGHUP');
    run.process.kill('SIGINT');
    expect((await run.ended).status).toBe(130);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
