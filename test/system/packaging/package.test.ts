import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { BUNDLED } from '../../../rolldown.config.ts';
import { COMPILED_SCHEMAS } from '../../../scripts/compiled-schemas.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import type { ProveResults } from '../../../src/core/prove-results.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { manifest, npm, type Packed, packInto } from './packed.ts';

const run = promisify(execFile);
const folder = temporaryFolder('package');
const home = path.join(folder, 'home');
let packed: Packed;

/** Size of a compressed release proof; the tested package has none. */
const PROOF_BYTES = 55_000;

beforeAll(async () => {
  packed = await packInto(path.join(folder, 'staging'));
  mkdirSync(home);
  writeFileSync(path.join(home, 'package.json'), '{"name": "home", "private": true, "type": "module"}\n');
  await npm(['install', packed.file, '--no-audit', '--no-fund', '--prefer-offline'], home);
});

describe('the package', () => {
  test('is small, and contains only what users need', () => {
    expect(packed.unpackedSize + PROOF_BYTES).toBeLessThan(1_890_000);
    const places = new Set(packed.files.map((file) => file.split('/')[0]));
    expect([...places].toSorted()).toEqual(
      ['LICENSE', 'README.md', 'dist', 'package.json', 'schemas'].toSorted(),
    );
    expect(packed.files.filter((file) => /\.map$|\.test\.|(?<!\.d)\.tsx?$/u.test(file))).toEqual([]);
    for (const schema of readdirSync(packageFile('schemas'))) {
      expect(packed.files).toContain(`schemas/${schema}`);
    }
    expect(packed.files).toContain('dist/third-party-licences.txt');
    for (const schema of COMPILED_SCHEMAS)
      expect(packed.files).toContain(`dist/src/core/schemas/compiled/${schema}.cjs`);
  });

  test('installs at most 70 packages', () => {
    const modules = path.join(home, 'node_modules');
    const packages = readdirSync(modules)
      .filter((name) => !name.startsWith('.'))
      .flatMap((name) => (name.startsWith('@') ? readdirSync(path.join(modules, name)) : [name]));
    expect(packages.length).toBeLessThanOrEqual(70);
  });

  test('contains every file that its manifest names', () => {
    const { bin, exports } = manifest();
    const named = [
      ...Object.values(bin),
      ...Object.values(exports).flatMap((entry) => Object.values([entry].flat())),
    ]
      .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
      .filter((entry) => !entry.includes('*'));
    expect(named.length).toBeGreaterThan(2);
    for (const file of named) expect(packed.files).toContain(file.replace(/^\.\//u, ''));
  });

  test('does not install Playwright, and reports if it is needed', async () => {
    const words = ['run', '--suite', 'smoke', '--out', 'pdf', '--format', 'pdf', '--quiet'];
    const failed = await assay(process.execPath, words).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('npm install @playwright/test'),
    });
  });

  test('has types that compile in strict mode', async () => {
    const program = [
      "import { conform, makeTarget, type Outcome } from 'assay';",
      "const credentials = { clientId: 'id', clientSecret: 'secret', scope: 'read' };",
      "makeTarget({ authUrl: 'https://a.example', baseUrl: 'https://b.example', credentials });",
      'export const outcomeOf = (results: Awaited<ReturnType<typeof conform>>): Outcome => results.outcome;',
      '// @ts-expect-error: a target needs credentials',
      "makeTarget({ authUrl: 'https://a.example', baseUrl: 'https://b.example' });",
      "import { check } from 'assay';",
      '// @ts-expect-error: a check is no number',
      'export const number: number = check;',
      '// @ts-expect-error: there is no such outcome',
      "export const outcome: Outcome = 'fine';",
    ];
    writeFileSync(path.join(home, 'program.ts'), `${program.join('\n')}\n`);
    const types = packageFile('node_modules/@types');
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--typeRoots', types, '--types', 'node'];
    const compiler = packageFile('node_modules/typescript/bin/tsc');
    const words = [compiler, ...options, '--target', 'es2023', '--skipLibCheck', 'program.ts'];
    const { stdout } = await run(process.execPath, words, { cwd: home }).catch((error: unknown) => {
      return error as { stdout: string };
    });
    expect(stdout).toBe('');
  });
});

describe('packages that are part of the build', () => {
  test.each(BUNDLED)('%s is in the manifest with the bundled version', (name) => {
    const { version } = JSON.parse(
      readFileSync(packageFile(`node_modules/${name}/package.json`), 'utf8'),
    ) as { version: string };
    expect(manifest().dependencies[name]).toBe(version);
    const notices = readFileSync(path.join(home, 'node_modules/assay/dist/third-party-licences.txt'), 'utf8');
    expect(notices).toMatch(
      new RegExp(`^== ${name} ${version} \\(\\w+\\)\n(?:== [^\n]+\n)*\n.*Copyright`, 'imsu'),
    );
  });
});

describe('installed in an empty folder, it runs', () => {
  const own = Number(process.versions.node.split('.')[0]);

  test.for([20, 22, 24])('on Node.js %i', async (major, { skip }) => {
    const found = major === own ? process.execPath : await runtime(major);
    // The oldest version is the minimum of the package; the others depend on what npm can install here.
    if (found instanceof Error) {
      if (major === 20) throw found;
      skip(`npm brought no Node.js ${major}: ${found.message.split('\n').at(-1)}`);
    }
    const node = String(found);
    expect(await versionOf(node)).toMatch(new RegExp(`^v${major}\\.`, 'u'));
    expect((await assay(node, ['--version'])).stdout).toContain(manifest().version);
    const { stdout } = await assay(node, ['run', '--json', '--out', `on-${major}`]);
    const results = JSON.parse(stdout) as { tool: { node: string }; outcome: string };
    expect(results).toMatchObject({ outcome: 'conformant', tool: { node: await versionOf(node) } });
    expect(readdirSync(path.join(home, `on-${major}`))).toContain('report.html');
  });
});

describe('the proof of the harness', () => {
  const place = path.join(home, 'node_modules/assay/prove.json.gz');

  /** The proof in the report and the manifest of a run. */
  async function shownIn(out: string): Promise<{ report: string; prove: string | null; build: string }> {
    await assay(process.execPath, ['run', '--suite', 'smoke', '--quiet', '--out', out]);
    const read = (file: string): string => readFileSync(path.join(home, out, file), 'utf8');
    const { tool } = JSON.parse(read('manifest.json')) as { tool: { package: string; prove: string | null } };
    const report = /Self-test: ([^.]*)\./u.exec(read('report.html'))?.[1] ?? '';
    return { report, prove: tool.prove, build: tool.package };
  }

  test('is reported only if it is a full proof of this build', async () => {
    const none = { report: '', prove: null };
    const before = await shownIn('unproven');
    expect(before).toMatchObject(none);
    await assay(process.execPath, ['prove', '--only', 'link-absolute,total-1', '--quiet', '--out', 'proof']);
    const part = JSON.parse(readFileSync(path.join(home, 'proof/prove.json'), 'utf8')) as ProveResults;
    expect(part).toMatchObject({ proven: true, tool: { package: before.build } });
    writeFileSync(place, gzipSync(JSON.stringify(part)));
    expect(await shownIn('part')).toMatchObject(none);
    const whole: ProveResults = { ...part, run: { ...part.run, only: [] } };
    writeFileSync(
      place,
      gzipSync(JSON.stringify({ ...whole, tool: { ...whole.tool, package: '0'.repeat(64) } })),
    );
    expect(await shownIn('other')).toMatchObject(none);
    writeFileSync(place, gzipSync(JSON.stringify(whole)));
    expect(await shownIn('proven')).toEqual({
      report: '1 of 1 planted defect found, 0 false',
      prove: createHash('sha256').update(JSON.stringify(whole)).digest('hex'),
      build: before.build,
    });
    rmSync(place);
  }, 240_000);
});

/** The command as run by `npx assay` with the given Node.js: its first line searches the PATH for `node`. */
function assay(node: string, words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const only = path.join(folder, `path-${node.replaceAll(/\W/gu, '-')}`);
  mkdirSync(only, { recursive: true });
  if (!readdirSync(only).includes('node')) symlinkSync(node, path.join(only, 'node'));
  const PATH = [only, '/usr/local/bin', '/usr/bin', '/bin'].join(path.delimiter);
  const env = { PATH, HOME: folder };
  return run(path.join(home, 'node_modules/.bin/assay'), [...words], {
    cwd: home,
    env,
    maxBuffer: 67_108_864,
  });
}

async function versionOf(node: string): Promise<string> {
  return (await run(node, ['--version'])).stdout.trim();
}

/** A Node.js of this major version from npm, cached with the dependencies; or why it is unavailable. */
async function runtime(major: number): Promise<string | Error> {
  const name = `node-${process.platform}-${process.arch}`;
  const cache = packageFile(`.cache/runtimes/${major}`);
  const file = path.join(cache, 'node_modules', name, 'bin/node');
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(path.join(cache, 'package.json'), '{"name": "runtime", "private": true}\n');
    try {
      await npm(['install', `${name}@${major}`, '--no-audit', '--no-fund', '--prefer-offline'], cache);
    } catch (error) {
      return error as Error;
    }
  }
  return file;
}
