import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { built } from '../../support/built.ts';
import { assay, cwd, mock, preloaded, start, useProcesses } from '../../support/processes.ts';

useProcesses();

describe('assay mock', () => {
  test('prints a target file and serves until it is stopped', async () => {
    const { going: served, file } = await mock('--records 5 --tokens opaque --clock-rate 60');
    expect(file).toMatchObject({ name: 'mock', expiry: { clockRate: 60 } });
    const answer = await fetch(`${file.baseUrl}/v1/printers`);
    expect(answer.status).toBe(401);
    served.process.kill('SIGTERM');
    expect((await served.ended).status).toBe(0);
  });

  test('reports that its port is in use', async () => {
    const { file } = await mock();
    const { port } = new URL(file.baseUrl);
    const { status, err } = await assay(`mock --port ${port}`);
    expect({ status, err }).toEqual({
      status: 3,
      err: `assay: port ${port} is in use; --port 0 chooses a free one\n`,
    });
  });
});

describe.skipIf(process.platform !== 'linux')('with few open files', () => {
  function limited(files: number, line: string) {
    const script = `ulimit -n ${files} && exec "$0" "$1" ${line}`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, built.main], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const complaints = stderr.split('\n').filter((text) => text.startsWith('assay: '));
    return { status, out: stdout, complaints };
  }

  test.each(['run', 'run acme.json', 'doctor', 'prove --only link-absolute'])(
    '%s names the limit and sends nothing',
    (line) => {
      const credentials = { clientId: 'id', clientSecret: 'a-long-secret', scope: 'read' };
      const url = 'http://127.0.0.1:1';
      writeFileSync(
        path.join(cwd, 'acme.json'),
        JSON.stringify({ name: 'acme', authUrl: url, baseUrl: url, tenant: 't', credentials }),
      );
      const { status, out, complaints } = limited(64, `${line} --json`);
      expect({ status, out }).toEqual({ status: 3, out: '' });
      expect(complaints).toEqual([expect.stringMatching(/\b64\b.*ulimit/u)]);
      expect(readdirSync(cwd)).toEqual(['acme.json']);
    },
  );

  test('a command that needs few works', () => {
    expect(limited(64, 'explain link/offset')).toMatchObject({ status: 0, complaints: [] });
  });

  test('a file that cannot be opened also names the limit', () => {
    const { status, complaints } = limited(20, 'run');
    expect(status).toBe(3);
    expect(complaints).toEqual([expect.stringMatching(/ulimit/u)]);
  });
});

describe('start-up', () => {
  test.each(['18.20.8', '20.18.3', '16.0.0'])('Node.js %s is rejected as too old', async (version) => {
    const versions = `{ ...process.versions, node: '${version}' }`;
    const script = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
    const { status, out, err } = await start('run', preloaded(script)).ended;
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
  async function loadedBy(line: string): Promise<readonly string[]> {
    const coverage = mkdtempSync(path.join(cwd, 'coverage-'));
    expect((await start(line, { NODE_V8_COVERAGE: coverage }).ended).status).toBe(0);
    const files = readdirSync(coverage).flatMap((name) => {
      const text = readFileSync(path.join(coverage, name), 'utf8');
      const { result } = JSON.parse(text) as { result: { url: string }[] };
      return result.map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url));
    });
    return files.flatMap((file) => [file, ...built.sourcesOf(file)]);
  }

  test('the help loads few modules', async () => {
    const loaded = await loadedBy('--help');
    expect(loaded.some((url) => url.endsWith('/src/cli/program.ts'))).toBe(true);
    const heavy =
      /node_modules\/(ajv|fast-check|playwright|@playwright|jose|yaml|preact)|\/src\/(mock|http|run|judge)\//u;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });

  test('a command that sends no request does not load the HTTP client', async () => {
    const loaded = await loadedBy('explain link/offset');
    expect(loaded.some((url) => url.endsWith('/src/cli/explain/action.ts'))).toBe(true);
    const heavy = /node_modules\/(ajv|fast-check|jose|yaml|preact)|\/src\/(run\/|http\/http-client)/u;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });

  test('a smoke run loads neither the reference provider nor what draws random cases', async () => {
    const { file, going: served } = await mock();
    writeFileSync(path.join(cwd, 'lean.json'), JSON.stringify(file));
    const loaded = await loadedBy('run lean.json --suite smoke --out lean');
    expect(loaded.some((url) => url.endsWith('/src/judge/property.ts'))).toBe(true);
    const heavy = /node_modules\/(fast-check|jose|emoji-regex)|\/lazy\/|\/src\/(mock|prove|doctor)\//u;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
    served.process.kill('SIGTERM');
    await served.ended;
  });

  test('non-ASCII text is wrapped by its display width', async () => {
    const { file, going: served } = await mock();
    writeFileSync(path.join(cwd, 'wide.json'), JSON.stringify({ ...file, name: '語'.repeat(50) }));
    const { out } = await assay('run wide.json --suite smoke --quiet --out wide');
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
          timeout: 60_000,
        });
      const sentence = 'assay: standard output cannot be written: ENOSPC: no space left on device, write\n';
      for (const words of [
        'requirements',
        'run --only token/type --quiet --out d',
        'report d --json',
        'mock',
      ]) {
        const { status, stderr } = ended(words, '>/dev/full');
        expect({ words, status }).toEqual({ words, status: 3 });
        expect(stderr.endsWith(sentence)).toBe(true);
        expect(stderr.split(sentence)).toHaveLength(2);
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
    const run = start('requirements --format json');
    run.process.stdout?.destroy();
    const { status, err } = await run.ended;
    expect(err).toBe('');
    expect(status).toBe(0);
  });
});
