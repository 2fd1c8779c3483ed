import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Results } from '../../../src/core/results.ts';
import { built, type Ended, type Going } from '../../support/built.ts';

let cwd = '';
let going: Going[] = [];

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'assay-cli-'));
  going = [];
});
afterEach(() => {
  for (const one of going) one.process.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

function start(words: readonly string[], env: Record<string, string> = {}): Going {
  const started = built.start(words, { cwd, env });
  going.push(started);
  return started;
}

function assay(...words: string[]): Promise<Ended> {
  return start(words).ended;
}

function resultsIn(folder: string): Results {
  return JSON.parse(readFileSync(path.join(cwd, folder, 'results.json'), 'utf8')) as Results;
}

function hidden(folder = '.'): readonly string[] {
  return readdirSync(path.join(cwd, folder)).filter((name) => name.startsWith('.'));
}

/** The environment of a process that runs a script first. */
function preloaded(script: string): Record<string, string> {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
}

interface MockFile {
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  readonly otherCredentials: { readonly clientSecret: string };
  readonly expiredToken: string;
}

/** Starts `assay mock` and writes the target file that it prints to `mock.yaml`. */
async function mock(...words: string[]): Promise<{ readonly going: Going; readonly file: MockFile }> {
  const started = start(['mock', ...words]);
  let yaml = '';
  started.process.stdout?.on('data', (text: string) => {
    yaml += text;
  });
  await started.shows('Press Ctrl+C');
  writeFileSync(path.join(cwd, 'mock.yaml'), yaml, { mode: 0o600 });
  return { going: started, file: parse(yaml) as MockFile };
}

describe('assay run', { timeout: 60_000 }, () => {
  test('tests the embedded reference provider', async () => {
    const { status, out, err } = await assay('run', '--seed', '7', '--format', 'junit,markdown');
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

    const again = await assay('report', 'latest', '--format', 'markdown', '--out', 'rendered');
    expect(again.status).toBe(0);
    expect(again.out).toMatch(/^CONFORMANT\n[\s\S]*Written: rendered\/summary\.md\n$/u);
  });

  test('contacts the embedded provider directly with any proxy settings', async () => {
    // No server listens there.
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    const env = Object.fromEntries(names.map((name) => [name, 'http://127.0.0.1:1']));
    for (const words of [
      ['run', '--suite', 'smoke'],
      ['doctor', '--json'],
      ['prove', '--only', 'link-absolute'],
    ]) {
      const { status, out, err } = await start(words, env).ended;
      expect({ words, status, told: status === 0 ? '' : out + err }).toEqual({ words, status: 0, told: '' });
    }
  });

  test('prints only results on standard output with --json', async () => {
    const { status, out, err } = await assay('run', '--json', '--suite', 'smoke', '--out', 'mine');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual(resultsIn('mine'));
    expect(err).toContain('PASSED IN PART');
    const quiet = await assay('run', '--json', '--quiet', '--only', 'count/*', '--out', 'mine');
    expect(quiet).toMatchObject({ status: 0, err: '' });
  });

  test('fails a provider with a defect, and reveals no secret', async () => {
    const { file } = await mock('--defect', 'token-answered-201', '--records', '30');
    const { status, out, err } = await assay(
      'run',
      'mock.yaml',
      '--out',
      'mine',
      '--quiet',
      '--format',
      'junit,markdown',
    );
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
    await mock('--records', '3');
    const text = readFileSync(path.join(cwd, 'mock.yaml'), 'utf8');
    writeFileSync(path.join(cwd, 'two.yaml'), text.replace('name: mock', 'name: two'), { mode: 0o600 });
    const { status, out } = await assay(
      'run',
      'mock.yaml',
      'two.yaml',
      '--suite',
      'smoke',
      '--out',
      'mine',
      '--quiet',
    );
    expect(status).toBe(0);
    expect(out).toContain('Targets');
    expect(resultsIn('mine').targets.map((one) => one.name)).toEqual(['mock', 'two']);
  });

  test('exits with 2 if nothing was tested, unless allowed, and explains it', async () => {
    await mock('--records', '3');
    const words = ['run', 'mock.yaml', '--only', 'page-size/default', '--out', 'mine', '--quiet'];
    expect((await assay(...words)).status).toBe(2);
    const allowed = await assay(...words, '--allow-inconclusive');
    expect(allowed.status).toBe(0);
    expect(allowed.out).toContain('--allow-inconclusive');
  });

  test('exits with 3 if no server listens', async () => {
    const credentials = { clientId: 'a', clientSecret: 'a-secret-of-length', scope: 's' };
    const target = {
      authUrl: 'http://127.0.0.1:9',
      baseUrl: 'http://127.0.0.1:9',
      credentials,
      limits: { retries: 0 },
    };
    writeFileSync(path.join(cwd, 'nobody.json'), JSON.stringify(target), { mode: 0o600 });
    const { status, out, err } = await assay('run', 'nobody.json', '--out', 'mine');
    expect(status).toBe(3);
    expect(out).toMatch(/^NOT CARRIED OUT\n/u);
    expect(out + err).not.toMatch(/a-secret-of-length|^\s+at /mu);
  });

  test('rejects a foreign folder before the first request', async () => {
    mkdirSync(path.join(cwd, 'mine'));
    writeFileSync(path.join(cwd, 'mine/thesis.txt'), 'dear');
    const { status, out, err } = await assay('run', '--out', 'mine');
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toBe(
      'assay: --out mine is not empty and contains no earlier run of Assay; choose another folder\n',
    );
    expect(readdirSync(path.join(cwd, 'mine'))).toEqual(['thesis.txt']);
  });

  test.each([
    ['reports', []],
    ['file/below', ['--out', 'file/below']],
    ['/proc/assay', ['--out', '/proc/assay']],
  ])('sends nothing if %s cannot be written', async (place, words) => {
    writeFileSync(path.join(cwd, 'reports'), 'a file');
    writeFileSync(path.join(cwd, 'file'), 'a file');
    const { going: served } = await mock('--log', 'requests.log');
    const { status, out, err } = await assay('run', 'mock.yaml', '--suite', 'smoke', '--json', ...words);
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
    const run = start(['run', '--suite', 'smoke', '--quiet', '--out', 'mine'], preloaded(script));
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
    const { status, err } = await start(['run'], { ...half, ASSAY_SCOPE: 'z' }).ended;
    expect(status).toBe(3);
    expect(err).toMatch(/ASSAY_AUTH_URL.*ASSAY_BASE_URL/u);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('leaves no files if the target file is invalid', async () => {
    writeFileSync(path.join(cwd, 'wrong.yaml'), 'authUrl: https://a.example\nbaseurl: https://a.example\n');
    const { status, err } = await assay('run', 'wrong.yaml', '--out', 'mine');
    expect(status).toBe(3);
    expect(err).toContain('wrong.yaml:2');
    expect(readdirSync(cwd)).toEqual(['wrong.yaml']);
  });

  test('appends its summary to the job summary', async () => {
    const summary = path.join(cwd, 'summary.md');
    writeFileSync(summary, 'before\n');
    const run = start(['run', '--suite', 'smoke', '--quiet'], { GITHUB_STEP_SUMMARY: summary });
    expect((await run.ended).status).toBe(0);
    expect(readFileSync(summary, 'utf8')).toMatch(/^before\n## Assay: passed in part\n/u);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('stops cleanly after one %s', async (signal) => {
    await mock('--latency', '150');
    const run = start(['run', 'mock.yaml', '--out', 'mine']);
    await run.shows('mock: started');
    await new Promise((resolve) => setTimeout(resolve, 400));
    run.process.kill(signal);
    const { status, out, err } = await run.ended;
    expect(status).toBe(130);
    expect(err).toContain('assay: stopping; press Ctrl+C again to quit now\n');
    expect(out).toContain('The run is incomplete: not every requirement was judged.');
    expect(resultsIn('mine').run.complete).toBe(false);
    expect(hidden()).toEqual([]);
  });

  test('exits immediately after the second signal, and leaves no files', async () => {
    await mock('--latency', '5000');
    const run = start(['run', 'mock.yaml', '--out', 'mine']);
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

describe('a check of the user', { timeout: 60_000 }, () => {
  async function run(...lines: readonly string[]): Promise<Ended & { readonly reasons: readonly string[] }> {
    const { file, going: served } = await mock();
    mkdirSync(path.join(cwd, 'checks'));
    writeFileSync(
      path.join(cwd, 'checks', 'mine.mjs'),
      ["import * as assay from 'assay';", ...lines].join('\n'),
    );
    writeFileSync(path.join(cwd, 'own.json'), JSON.stringify({ ...file, checks: ['./checks/mine.mjs'] }));
    const ended = await assay('run', 'own.json', '--only', 'x/*', '--quiet', '--json');
    served.process.kill('SIGTERM');
    await served.ended;
    const results = ended.out === '' ? null : (JSON.parse(ended.out) as Results);
    const own = results?.targets[0]?.requirements.filter(({ id }) => id.startsWith('x/')) ?? [];
    return { ...ended, reasons: own.map(({ verdict, reason }) => `${verdict}: ${reason}`) };
  }

  const place = (line: number): string => path.join('checks', `mine.mjs:${line}`);

  test.each([
    ["export const one = assay.list('x/one', {}, async () => {});", 'x/one'],
    ["export const one = assay.token('x/one', { rule: ' ' }, async () => {});", 'x/one'],
    ["export const one = assay.check('x/one');", 'x/one'],
    ["export const one = assay.list('x/One', { rule: 'A.' }, async () => {});", 'x/One'],
    ['undefined.member;', 'member'],
  ])('that cannot be declared is reported with file and line: %s', async (line, named) => {
    const { status, out, err } = await run('', line);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(named)]);
    expect(err).toContain(place(3));
  });

  test('that throws is an error with file and line, and a violation stays a violation', async () => {
    const { status, reasons } = await run(
      'const helper = (value) => value.missing.member;',
      "const about = { rule: 'It holds.' };",
      "export const a = assay.list('x/a', about, async () => {",
      '  helper({});',
      '});',
      "export const b = assay.token('x/b', about, async () => {",
      "  throw new Error('my own');",
      '});',
      "export const c = assay.list('x/c', about, async (list) => {",
      '  await list.get();',
      "  list.expect(false, 'a breach');",
      '});',
      "export const d = assay.check('x/d', about, async () => JSON.parse('{'));",
      "export const e = assay.property('x/e', { ...about, arbitrary: (fc) => fc.nat() }, async () => {",
      '  await null;',
      '  helper({});',
      '});',
      "export const f = assay.list('x/f', about, async (list) => list.inconclusive('too few'));",
      "export const g = assay.token('x/g', about, async (token) => token.skip('no ground'));",
    );
    expect(status).toBe(1);
    const told = reasons.toSorted();
    expect(
      told.map((reason) => /mine\.mjs:(\d+)/u.exec(reason)?.[1] ?? reason.split(':')[0]).toSorted(),
    ).toEqual(['14', '2', '2', '8', 'fail', 'inconclusive', 'skipped']);
  });
});

describe('assay run, stopped while its report is written', { timeout: 60_000 }, () => {
  // Writing results.json never completes.
  const script = `
    import fs from 'node:fs';
    import { Writable } from 'node:stream';
    import { syncBuiltinESMExports } from 'node:module';
    const { createWriteStream } = fs;
    fs.createWriteStream = (file, ...rest) => {
      if (!String(file).endsWith('results.json')) return createWriteStream(file, ...rest);
      process.stderr.write('writing');
      setInterval(() => undefined, 1000);
      return new Writable({ write: () => undefined });
    };
    syncBuiltinESMExports();`;

  test('leaves no files after the second signal', async () => {
    const run = start(['run', '--suite', 'smoke', '--out', 'mine'], preloaded(script));
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

describe('assay mock', { timeout: 30_000 }, () => {
  test('prints a target file and serves until it is stopped', async () => {
    const { going: served, file } = await mock('--records', '5', '--tokens', 'opaque', '--clock-rate', '60');
    expect(file).toMatchObject({ name: 'mock', expiry: { clockRate: 60 } });
    const answer = await fetch(`${file.baseUrl}/v1/printers`);
    expect(answer.status).toBe(401);
    served.process.kill('SIGTERM');
    expect((await served.ended).status).toBe(0);
  });

  test('reports that its port is in use', async () => {
    const { file } = await mock();
    const { port } = new URL(file.baseUrl);
    const { status, err } = await assay('mock', '--port', port);
    expect({ status, err }).toEqual({
      status: 3,
      err: `assay: port ${port} is in use; --port 0 chooses a free one\n`,
    });
  });
});

describe.skipIf(process.platform !== 'linux')('with few open files', { timeout: 60_000 }, () => {
  function limited(files: number, ...words: string[]) {
    const script = `ulimit -n ${files} && exec "$0" "$@"`;
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', script, process.execPath, built.main, ...words],
      {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '' },
      },
    );
    return {
      status,
      out: stdout,
      complaints: stderr.split('\n').filter((line) => line.startsWith('assay: ')),
    };
  }

  test.each([['run'], ['run', 'acme.json'], ['doctor'], ['prove', '--only', 'link-absolute']])(
    '%s %s names the limit and sends nothing',
    (...words) => {
      const credentials = { clientId: 'id', clientSecret: 'a-long-secret', scope: 'read' };
      const url = 'http://127.0.0.1:1';
      writeFileSync(
        path.join(cwd, 'acme.json'),
        JSON.stringify({ name: 'acme', authUrl: url, baseUrl: url, tenant: 't', credentials }),
      );
      const { status, out, complaints } = limited(64, ...words, '--json');
      expect({ status, out }).toEqual({ status: 3, out: '' });
      expect(complaints).toEqual([expect.stringMatching(/\b64\b.*ulimit/u)]);
      expect(readdirSync(cwd)).toEqual(['acme.json']);
    },
  );

  test('a command that needs few works', () => {
    expect(limited(64, 'explain', 'link/offset')).toMatchObject({ status: 0, complaints: [] });
  });

  test('a file that cannot be opened also names the limit', () => {
    const { status, complaints } = limited(20, 'run');
    expect(status).toBe(3);
    expect(complaints).toEqual([expect.stringMatching(/ulimit/u)]);
  });
});

describe('start-up', { timeout: 30_000 }, () => {
  test.each(['18.20.8', '20.18.3', '16.0.0'])('Node.js %s is rejected as too old', async (version) => {
    const versions = `{ ...process.versions, node: '${version}' }`;
    const script = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
    const { status, out, err } = await start(['run'], preloaded(script)).ended;
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const oldest = engines.node.replace(/^>=(\d+\.\d+)\.0$/u, '$1');
    expect({ status, out, err }).toEqual({
      status: 3,
      out: '',
      err: `assay: Assay needs Node.js ${oldest} or newer, and this is Node.js ${version}\n`,
    });
  });

  test('nothing is loaded before the version is known', () => {
    expect(readFileSync(built.main, 'utf8')).not.toMatch(/\b(?:import|from)\s*["'`]/u);
  });

  /** The sources that a command line loads, from V8 coverage, and its exit status. */
  async function loadedBy(words: readonly string[]): Promise<readonly string[]> {
    const coverage = mkdtempSync(path.join(cwd, 'coverage-'));
    expect((await start(words, { NODE_V8_COVERAGE: coverage }).ended).status).toBe(0);
    const files = readdirSync(coverage).flatMap((name) => {
      const text = readFileSync(path.join(coverage, name), 'utf8');
      const { result } = JSON.parse(text) as { result: { url: string }[] };
      return result.map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url));
    });
    return files.flatMap((file) => [file, ...built.sourcesOf(file)]);
  }

  test('the help loads few modules', async () => {
    const loaded = await loadedBy(['--help']);
    expect(loaded.some((url) => url.endsWith('/src/cli/program.ts'))).toBe(true);
    const heavy =
      /node_modules\/(ajv|fast-check|playwright|@playwright|jose|yaml|preact)|\/src\/(mock|http|run|judge)\//u;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });

  test('a command that sends no request does not load the HTTP client', async () => {
    const loaded = await loadedBy(['explain', 'link/offset']);
    expect(loaded.some((url) => url.endsWith('/src/cli/explain/action.ts'))).toBe(true);
    const heavy = /node_modules\/(ajv|fast-check|jose|yaml|preact)|\/src\/run\//u;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });

  test('a smoke run loads neither charts nor, for JSON, the YAML parser', async () => {
    const { file, going: served } = await mock();
    writeFileSync(path.join(cwd, 'lean.json'), JSON.stringify(file));
    const loaded = await loadedBy(['run', 'lean.json', '--suite', 'smoke', '--out', 'lean']);
    expect(loaded.some((url) => url.endsWith('/src/judge/property.ts'))).toBe(true);
    const heavy = /node_modules\/(fast-check|jose|yaml|emoji-regex)|\/lazy\/|\/src\/(mock|prove|doctor)\//u;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
    served.process.kill('SIGTERM');
    await served.ended;
  });

  test('non-ASCII text is wrapped by its display width', async () => {
    const { file, going: served } = await mock();
    writeFileSync(path.join(cwd, 'wide.json'), JSON.stringify({ ...file, name: '語'.repeat(50) }));
    const { out } = await assay('run', 'wide.json', '--suite', 'smoke', '--quiet', '--out', 'wide');
    expect(out).toMatch(/^ {2}語{49}\n {2}語 {2}http/mu);
    served.process.kill('SIGTERM');
    await served.ended;
  });

  test.skipIf(!existsSync('/dev/full'))(
    'a full device is reported in one sentence with status 3',
    async () => {
      const ended = (words: string, ...streams: string[]) =>
        spawnSync('sh', ['-c', `"$0" "$1" ${words} ${streams.join(' ')}`, process.execPath, built.main], {
          cwd,
          encoding: 'utf8',
        });
      const sentence = 'assay: standard output cannot be written: ENOSPC: no space left on device, write\n';
      for (const words of ['requirements', 'run --only token/type --quiet --out d', 'report d --json']) {
        const { status, stderr } = ended(words, '>/dev/full');
        expect({ words, status }).toEqual({ words, status: 3 });
        expect(stderr.endsWith(sentence)).toBe(true);
        expect(stderr).not.toMatch(/^\s+at /mu);
      }
      const blind = ended('run --only token/type --out d', '2>/dev/full');
      expect({ status: blind.status, out: blind.stdout }).toEqual({
        status: 3,
        out: expect.stringMatching(/^PASSED IN PART/u),
      });
      expect(ended('requirements', '>/dev/full', '2>/dev/full').status).toBe(3);
    },
  );

  test('a reader that closes the pipe causes no error', async () => {
    const run = start(['requirements', '--format', 'json']);
    run.process.stdout?.destroy();
    const { status, err } = await run.ended;
    expect(err).toBe('');
    expect(status).toBe(0);
  });
});
