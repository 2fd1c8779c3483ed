import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXIT, UsageError } from '../../../src/cli/command.ts';
import { commands } from '../../../src/cli/program.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import { isForUser } from '../../../src/core/user-error.ts';
import { FORMATS, fileOf } from '../../../src/report/formats/table.ts';

const read = (name: string): string => readFileSync(packageFile(name), 'utf8');

describe('documents', () => {
  test('docs/dependencies.md gives a reason for every dependency and lists nothing else', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
      dependencies: object;
      devDependencies: object;
    };
    const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| .{10,} \|$/gmu)].map(
      ([, name]) => name,
    );
    expect(new Set(listed)).toEqual(new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]));
  });

  test('README.md names every command, and the documentation every file of a run and every status', () => {
    const readme = read('README.md');
    for (const { name } of commands) expect(readme).toContain(`\`assay ${name}`);
    for (const format of FORMATS)
      expect(read('docs/commands.md')).toContain(`| \`${format}\` | \`${fileOf(format)}\` |`);
    for (const page of ['docs/commands.md', 'docs/ci.md']) {
      for (const status of Object.values(EXIT))
        expect(read(page)).toMatch(new RegExp(`^\\| ${status} \\| `, 'mu'));
    }
  });
});

describe('errors', () => {
  test('caused by users or the machine are not reported as bugs; all others are', () => {
    expect(isForUser(new UsageError('x'))).toBe(true);
    expect(isForUser(Object.assign(new Error('disk full'), { code: 'ENOSPC' }))).toBe(true);
    expect(isForUser(new TypeError('x'))).toBe(false);
    expect(isForUser('x')).toBe(false);
  });
});
