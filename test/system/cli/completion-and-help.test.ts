import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { commands, dispatch } from '../../../src/cli/program.ts';
import { SHELLS } from '../../../src/cli/shared/options.ts';
import { packageVersion } from '../../../src/core/package-file.ts';
import { built } from '../../support/built.ts';
import { fakeHost, said } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

describe('completion', () => {
  const folder = temporaryFolder('completion');

  /** The completions of bash for a line. */
  async function offered(...line: string[]): Promise<readonly string[]> {
    const script = path.join(folder, 'assay.bash');
    writeFileSync(script, (await said(['completion', 'bash'])).out);
    writeFileSync(path.join(folder, 'acme.yaml'), '');
    const words = line.map((word) => `'${word}'`).join(' ');
    const ask = `. "$1"; cd "$2"; COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _assay_without_globbing; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await run('bash', ['--norc', '-c', ask, 'bash', script, folder]);
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  test('of bash offers commands, options, values, identifiers and files', async () => {
    expect(await offered('assay', '')).toEqual([...commands.map(({ name }) => name), '--help', '--version']);
    expect(await offered('assay', 'do')).toEqual(['doctor']);
    expect(await offered('assay', 'run', '--max')).toEqual(['--max-requests']);
    expect(await offered('assay', 'run', '--suite', '')).toEqual(['smoke', 'full', 'certify']);
    expect(await offered('assay', 'run', '--only', 'link/o')).toEqual(['link/offset']);
    expect(await offered('assay', 'run', '--only', 'link/')).toContain('link/*');
    expect(await offered('assay', 'explain', 'observe/lat')).toEqual(['observe/latency']);
    expect(await offered('assay', 'run', 'acm')).toEqual(['acme.yaml']);
    expect(await offered('assay', 'mock', '--defect', 'skip-in-p')).toEqual(['skip-in-pages']);
    expect(await offered('assay', 'diff', '--format', 'j')).toEqual(['json']);
    expect(await offered('assay', 'completion', '')).toEqual([...SHELLS]);
    expect(await offered('assay', 'run', '--seed', '')).toEqual([]);
  });

  test.each(SHELLS)('of %s knows every command and every option', async (shell) => {
    const { status, out } = await said(['completion', shell]);
    expect(status).toBe(0);
    for (const { name, options } of commands) {
      expect(out).toContain(name);
      for (const [option, { hidden }] of Object.entries(options))
        if (hidden !== true) expect(out).toContain(shell === 'fish' ? `-l ${option} ` : `--${option}`);
    }
  });

  test.for(['zsh', 'fish'])('of %s is valid in that shell', async (shell, { skip }) => {
    const script = path.join(folder, `assay.${shell}`);
    writeFileSync(script, (await said(['completion', shell])).out);
    const found = await run(shell, ['--version']).catch(() => null);
    if (found === null) skip(`there is no ${shell} here`);
    await expect(run(shell, ['-n', script])).resolves.toMatchObject({ stderr: '' });
  });

  test('uses the shell of the environment, and lists the known shells', async () => {
    expect((await said(['completion'], { SHELL: '/usr/bin/fish' })).out).toContain('complete -c assay');
    expect(await said(['completion'])).toMatchObject({
      status: 3,
      err: 'assay: name a shell: bash, zsh, fish\n',
    });
    expect((await said(['completion', 'fisch'])).err).toContain('did you mean "fish"?');
  });
});

describe('help', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    '%s has an example',
    async (name, { examples, usage }) => {
      const { status, out, err } = await said([name, '--help']);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toContain(`assay ${usage}`);
      expect(examples.length).toBeGreaterThan(0);
      for (const [, words] of examples) expect(out.replaceAll(/\s+/gu, ' ')).toContain(words);
    },
  );

  test('is available as a command and as -h', async () => {
    expect((await said(['help', 'run'])).out).toBe((await said(['run', '--help'])).out);
    expect((await said(['help'])).out).toBe((await said(['--help'])).out);
    expect((await said(['run', '-h'])).out).toBe((await said(['run', '--help'])).out);
    expect((await said(['-h'])).out).toBe((await said(['--help'])).out);
    expect((await said(['explain', '--', '-h'])).status).toBe(3);
  });

  test('fits the width of the terminal', async () => {
    const host = fakeHost();
    const narrow = { ...host, out: { ...host.out, width: () => 60 } };
    await dispatch(['run', '--help'], narrow);
    const lines = host.out
      .text()
      .split('\n')
      .filter((line) => !line.includes('assay run'));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });
});

test('every command accepts and documents --json', () => {
  for (const { name, options } of commands)
    expect({ name, json: 'json' in options }).toEqual({ name, json: true });
});

test('the version is printed as text and as JSON', async () => {
  const version = packageVersion();
  expect((await said(['--version'])).out).toBe(`${version}\n`);
  for (const short of ['-v', '-V']) expect((await said([short])).out).toBe(`${version}\n`);
  expect(await said(['-v', '--json'])).toEqual(await said(['--version', '--json']));
  const { out } = await said(['--version', '--json']);
  expect(JSON.parse(out)).toEqual({ name: 'assay', version, node: process.version });
});

test('output into a pipe contains no escape sequence', async () => {
  const assay = built.in(temporaryFolder('pipe'));
  for (const line of ['requirements', 'explain link/offset', 'mock --list-defects', 'doctor --suite smoke']) {
    const { out, err } = await assay(line);
    expect(`${out}${err}`).not.toContain('\u001b');
    expect(out).not.toBe('');
  }
});
