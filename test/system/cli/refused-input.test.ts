import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { built, type Ended } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('refused');
const assay = built.in(cwd);

beforeAll(() => {
  if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
});

const MINIMAL = `
authUrl: http://127.0.0.1:9
baseUrl: http://127.0.0.1:9
credentials: {clientId: some-client, clientSecret: some-secret, scope: all}
tenant: some
`;

function file(name: string, text: string): string {
  writeFileSync(path.join(cwd, name), text);
  return name;
}

/** Runs with a minimal target file and one more line. */
function runWith(line: string): Promise<Ended> {
  return assay(`run ${file('target.yaml', `${MINIMAL}${line}\n`)}`);
}

/** Rejected before the first request: one sentence, status 3, no folder. */
function expectRefused({ status, out, err }: Ended, words: RegExp): void {
  expect(err).toMatch(words);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect([status, out]).toEqual([3, '']);
  expect(existsSync(path.join(cwd, 'reports'))).toBe(false);
}

describe.skipIf(process.platform === 'win32')('a pipe is rejected without blocking', () => {
  test('as a target file', async () => {
    expectRefused(await assay('run pipe'), /a pipe/u);
  });

  test.each([
    'resources: [{name: x, path: /x, itemSchema: ./pipe}]',
    'checks: [./pipe]',
    'tls: {ca: ./pipe}',
  ])('in %s', async (line) => {
    expectRefused(await runWith(line), /names a pipe/u);
  });

  test('as a signing key and as a verification key', async () => {
    expectRefused(await assay('run --sign pipe'), /a pipe/u);
    expectRefused(await assay('verify . --key pipe'), /a pipe/u);
  });
});

describe.skipIf(process.platform === 'win32')('a command ends with one sentence', () => {
  const afterShell = (commands: string, command: string): Ended => {
    const line = `${commands} && exec "$0" "$1" ${command}`;
    const ended = spawnSync('sh', ['-c', line, process.execPath, built.main], { cwd, encoding: 'utf8' });
    return { status: ended.status, out: ended.stdout, err: ended.stderr };
  };

  test('in a folder that was deleted', () => {
    expectRefused(afterShell('mkdir gone && cd gone && rmdir ../gone', 'run'), /folder does not exist/u);
  });

  test('where no file can be written, and leaves no part of one', () => {
    expectRefused(
      afterShell('trap "" XFSZ && ulimit -f 0', 'keygen part'),
      /^assay: part\.key cannot be written/u,
    );
    expect(existsSync(path.join(cwd, 'part.key'))).toBe(false);
  });
});

describe('a target file that would take minutes to parse is rejected', () => {
  test.each([
    ['opening brackets', '['.repeat(200_000)],
    ['opening braces', '{'.repeat(200_000)],
    ['lists within lists', '- '.repeat(200_000)],
    ['JSON that is nested deeply', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['JSON that is nested less deeply', `{"a":${'['.repeat(500)}${']'.repeat(500)}}`],
    ['tens of thousands of keys', Array.from({ length: 60_000 }, (_, key) => `k${key}: 1`).join('\n')],
  ])('%s', async (_what, text) => {
    expectRefused(await assay(`run ${file('long.yaml', text)}`), /^assay: long\.yaml: /u);
  });
});

describe('checks that end the process cause status 3 and one sentence', () => {
  test.each([
    ['by process.exit while they are loaded', 'process.exit(0);'],
    [
      'by process.exit after a while',
      'setTimeout(() => process.exit(1)); await new Promise(() => undefined);',
    ],
    ['by waiting for nothing', 'await new Promise(() => undefined);'],
  ])('%s', async (_what, code) => {
    file('checks.mjs', code);
    expectRefused(await runWith('checks: [./checks.mjs]'), /checks\.mjs ended the process/u);
  });

  test('by process.exit during the test', async () => {
    const code = `
      import { check } from 'assay';
      export const leaving = check('x/leaving', { rule: 'A rule.' }, () => process.exit(0));`;
    file('leaving.mjs', code);
    const { status, err } = await runWith('checks: [./leaving.mjs]');
    expect(status).toBe(3);
    expect(err).toMatch(/leaving\.mjs ended the process/u);
  });
});
