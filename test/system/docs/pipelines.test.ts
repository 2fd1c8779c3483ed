import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { packageFile, packageVersion } from '../../../src/core/package-file.ts';
import { action, performStep, type Step } from '../../support/action.ts';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { commandLines, understood } from './snippets.ts';

const read = (name: string): string => readFileSync(packageFile(name), 'utf8');

function yaml(name: string): unknown {
  const document = parseDocument(read(name));
  expect([...document.errors, ...document.warnings].map(String)).toEqual([]);
  return document.toJS();
}

const texts = ['action.yml', 'examples/ci/github.yml', 'examples/ci/gitlab.yml', 'examples/ci/Jenkinsfile'];
const folder = temporaryFolder('action');

describe('files for pipelines', () => {
  test.each([
    'action.yml',
    'examples/ci/github.yml',
    'examples/ci/gitlab.yml',
    'examples/shards/github.yml',
    'examples/shards/github-playwright.yml',
    '.github/workflows/ci.yml',
    '.github/workflows/release.yml',
  ])('%s is valid YAML with pinned dependencies', (name) => {
    expect(yaml(name)).toBeTypeOf('object');
    for (const [, used = ''] of read(name).matchAll(/uses: (\S+)/gu))
      expect(used).toMatch(/@v\d+(\.\d+\.\d+)?$/u);
  });

  test.each([
    'examples/ci/github.yml',
    'examples/shards/github.yml',
    'docs/ci.md',
    'docs/getting-started/qa.md',
  ])('%s names the version of this package', (name) => {
    const named = [...read(name).matchAll(/OWNER\/assay(?:\.git)?[@#]v(\S+?)[`\s]/gu)].map(
      ([, version]) => version,
    );
    expect(new Set(named)).toEqual(new Set([packageVersion()]));
  });

  test.each(texts.slice(1))('%s uses existing commands and options', async (name) => {
    const lines = commandLines(read(name).replaceAll(/^\s*(?:#|\/\/).*$/gmu, ''));
    if (name !== 'examples/ci/github.yml') expect(lines.length).toBeGreaterThan(0);
    for (const words of lines) await understood(words);
  });

  test('examples/ci/github.yml names inputs and outputs that the action has', () => {
    const { jobs } = yaml('examples/ci/github.yml') as { jobs: { conformance: { steps: Step[] } } };
    const used = jobs.conformance.steps.find((step) => step.uses?.includes('/assay@') === true);
    expect(used?.id).toBe('assay');
    const known = Object.keys(action.inputs);
    for (const input of Object.keys(used?.with ?? {})) expect(known).toContain(input);
    for (const [, output] of read('examples/ci/github.yml').matchAll(/steps\.assay\.outputs\.([\w-]+)/gu)) {
      expect(Object.keys(action.outputs)).toContain(output);
    }
  });

  test('examples/ci/Jenkinsfile removes the report of an earlier build before it runs Assay', () => {
    const text = read('examples/ci/Jenkinsfile');
    const [, out] = /--out (\S+)/u.exec(text) ?? [];
    expect(text).toMatch(new RegExp(`rm -rf ${out}\\s[\\s\\S]*assay run`, 'u'));
  });

  test('the Dockerfile copies existing files, and runs the command as an unprivileged user', () => {
    const lines = read('Dockerfile').split('\n');
    const copied = lines.filter((line) => line.startsWith('COPY ') && !line.includes('--from'));
    const sources = copied.flatMap((line) => line.split(' ').slice(1, -1));
    for (const source of sources) expect(existsSync(packageFile(source))).toBe(true);
    expect(lines.filter((line) => /^USER /u.test(line)).at(-1)).toBe('USER node');
    expect(Object.keys((JSON.parse(read('package.json')) as { bin: object }).bin)).toEqual(['assay']);
    expect(lines).toContain('ENTRYPOINT ["assay"]');
    // The build stage gets all files that it needs; it generates the rest of the package.
    for (const script of ['build', 'prove:record']) expect(read('Dockerfile')).toContain(`npm run ${script}`);
    const reaching = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    const { files } = JSON.parse(read('package.json')) as { files: readonly string[] };
    const needed = ['package.json', 'package-lock.json', 'src', 'specs', 'README.md', 'LICENSE', ...files];
    for (const name of needed.filter((one) => !/^!?dist|^prove/u.test(one)))
      expect(reaching).toContain(`!${name}`);
    for (const name of ['tsconfig*.json', 'rolldown.config.ts']) expect(reaching).toContain(`!${name}`);
  });
});

describe('action.yml', () => {
  const { inputs, outputs, runs } = action;
  const text = read('action.yml');

  test('declares exactly the inputs that it uses', () => {
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/gu)].map(([, name]) => name));
    expect([...used].toSorted()).toEqual(Object.keys(inputs).toSorted());
    for (const { description, default: usual } of Object.values(inputs)) {
      expect(description).toMatch(/\.$/u);
      expect(usual).toBeTypeOf('string');
    }
  });

  test('has a shell for every script, and no expressions in scripts', () => {
    for (const step of runs.steps.filter(({ run }) => run !== undefined)) {
      expect(step.shell).toBe('bash');
      expect(step.run).not.toContain('${{');
    }
  });

  async function perform(
    given: Readonly<Record<string, string>>,
    place: string,
    more: Readonly<Record<string, string>> = {},
  ) {
    const step = runs.steps.find(({ id }) => id === 'run');
    const home = path.join(folder, place);
    mkdirSync(path.join(home, 'bin'), { recursive: true });
    const command = `#!/bin/sh\nexec "${process.execPath}" "${built.main}" "$@"\n`;
    writeFileSync(path.join(home, 'bin/assay'), command, { mode: 0o755 });
    for (const name of ['output', 'summary']) writeFileSync(path.join(home, name), '');
    const value = (name: string): string => given[name] ?? inputs[name]?.default ?? '';
    const set = Object.fromEntries(
      Object.entries(step?.env ?? {}).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/u, (_, input: string) => value(input)),
      ]),
    );
    const done = await performStep('run', {
      cwd: home,
      bin: path.join(home, 'bin'),
      env: {
        ...more,
        ...set,
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: path.join(home, 'output'),
        GITHUB_STEP_SUMMARY: path.join(home, 'summary'),
      },
    });
    const kept = (name: string): string => readFileSync(path.join(home, name), 'utf8');
    const written = kept('output').trim().split('\n');
    const pairs = written.map((line) => line.split(/=(.*)/su) as [string, string]);
    return { ...done, outputs: Object.fromEntries(pairs), summary: kept('summary') };
  }

  test('runs Assay, and sets every declared output', async () => {
    const { status, err, outputs: given, summary } = await perform({ suite: 'smoke' }, 'fine');
    expect(status).toBe(0);
    // The shell does not complain that there was no earlier run.
    expect(err).not.toContain('results.json');
    expect(given).toMatchObject({ status: '0', outcome: 'conformant', failed: '0' });
    expect(existsSync(path.join(given['report'] ?? '', 'results.sarif'))).toBe(true);
    expect(summary).toContain('passed in part');
    const promised = Object.entries(outputs).map(([name, { value }]) => {
      expect(value).toBe(`\${{ steps.run.outputs.${name} }}`);
      return name;
    });
    expect(Object.keys(given).toSorted()).toEqual(promised.toSorted());
  });

  test('returns a nonzero status with the available outputs', async () => {
    const lost = await perform({ target: 'none.yaml\nother.yaml' }, 'lost');
    expect(lost).toMatchObject({ status: 3, outputs: { status: '3' } });
    const few = await perform({ 'max-requests': '3', suite: 'full' }, 'few');
    expect(few).toMatchObject({ status: 2, outputs: { status: '2', outcome: 'inconclusive' } });
  });

  test('has no outputs of an earlier run in the same folder', async () => {
    const first = await perform({ only: 'token/issued' }, 'twice');
    expect(first.outputs).toMatchObject({ status: '0', outcome: 'conformant' });
    const again = await perform({ only: 'token/issued' }, 'twice');
    expect(again.outputs).toEqual(first.outputs);
    const lost = await perform({ target: 'none.yaml' }, 'twice');
    expect(lost.outputs).toEqual({ status: '3' });
  });

  test('signs with the key in a variable or a file, and shows no key given by mistake', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const file = path.join(folder, 'body.key');
    writeFileSync(file, pem, { mode: 0o600 });
    for (const [sign, place] of [
      ['SIGNING_KEY', 'by-variable'],
      [file, 'by-file'],
    ] as const) {
      const { status, outputs: given } = await perform({ suite: 'smoke', sign }, place, { SIGNING_KEY: pem });
      expect(status).toBe(0);
      expect(readdirSync(given['report'] ?? '')).toContain('manifest.sig');
    }
    for (const sign of ['NOT_SET', 'no-such.key', pem]) {
      const { status, out } = await perform({ sign }, 'unsigned');
      expect(status).toBe(3);
      expect(out).toContain('::error::');
      expect(out).not.toContain(pem.split('\n')[1]);
    }
  });

  test('limits the rate, and waits for expiry only on request', async () => {
    const { outputs: given } = await perform({ only: 'token/issued', rate: '7' }, 'rate');
    const results = JSON.parse(readFileSync(path.join(given['report'] ?? '', 'results.json'), 'utf8')) as {
      run: { command: string };
    };
    expect(results.run.command).toContain('--rate 7');
    expect(results.run.command).not.toContain('--expiry');
    expect(runs.steps.find(({ id }) => id === 'run')?.run).toContain('words+=(--expiry)');
  });
});
