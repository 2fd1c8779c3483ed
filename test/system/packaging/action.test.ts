import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../../src/core/package-file.ts';
import { performStep } from '../../support/action.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { manifest } from './packed.ts';

const run = promisify(execFile);
const folder = temporaryFolder('action');
const home = path.join(folder, 'temp/assay');

/** A file of each kind that the installed action depends on. */
const INPUTS = [
  'action.yml',
  'package.json',
  'package-lock.json',
  'rolldown.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.types.json',
  'scripts/compiled-schemas.ts',
  'schemas/target.schema.json',
  'specs/link/offset.ts',
  'src/index.ts',
];

/** Runs a step of action.yml. */
async function perform(id: string): Promise<void> {
  const env = {
    CI: 'true',
    ACTION: path.join(folder, 'action'),
    RUNNER_TEMP: path.join(folder, 'temp'),
    RUNNER_OS: 'Linux',
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_PATH: path.join(folder, 'path'),
    npm_config_prefer_offline: 'true',
  };
  const { status, err } = await performStep(id, { cwd: folder, env });
  expect(status, err).toBe(0);
}

beforeAll(async () => {
  const left = ['node_modules', '.git', 'dist', 'reports'].map((name) => packageFile(name));
  mkdirSync(path.join(folder, 'temp'));
  cpSync(packageFile('.'), path.join(folder, 'action'), {
    recursive: true,
    filter: (source) => !left.includes(path.resolve(source)),
  });
  await perform('version');
  await perform('install');
});

describe('the installed action', () => {
  test('has a cache key that the files of the build determine', async () => {
    const keyNow = async (): Promise<string> => {
      await perform('version');
      return readFileSync(path.join(folder, 'output'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
    };
    const key = await keyNow();
    expect(key).toMatch(/^key=assay-Linux-[0-9a-f]{40}$/u);
    expect(await keyNow()).toBe(key);
    const keys = [key];
    for (const name of INPUTS) {
      appendFileSync(path.join(folder, 'action', name), '\n');
      keys.push(await keyNow());
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('has runtime dependencies only', () => {
    const modules = path.join(home, 'node_modules');
    for (const name of Object.keys(manifest().dependencies))
      expect(existsSync(path.join(modules, name)), name).toBe(true);
    for (const name of ['typescript', 'vitest', 'rolldown', '@playwright/test', 'playwright-core'])
      expect(existsSync(path.join(modules, name)), name).toBe(false);
    const { packages } = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
    };
    const superfluous = Object.entries(packages).filter(([, { dev, devOptional }]) => dev || devOptional);
    expect(superfluous).toEqual([]);
  });

  test('puts a command on the PATH that runs', async () => {
    const bin = readFileSync(path.join(folder, 'path'), 'utf8').split('\n')[0] ?? '';
    const { stdout } = await run(path.join(bin, 'assay'), ['run', '--suite', 'smoke', '--quiet'], {
      cwd: folder,
    });
    expect(stdout).toContain('PASSED IN PART');
  });
});
