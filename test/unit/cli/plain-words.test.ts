import fastCheck from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import { readPlain } from '../../../src/cli/plain-words.ts';
import { commands } from '../../../src/cli/program.ts';
import { parseWithCare } from '../../../src/cli/with-care.ts';

/** What yargs reads from the words after a command's name; null where it refuses them. */
async function yargsReads(command: Command, words: readonly string[]): Promise<object | null> {
  const line = { commands, words: [command.name, ...words], named: command.name, version: '1', width: 80 };
  const parsed = await parseWithCare(line).catch(() => null);
  if (parsed?.kind !== 'command') return null;
  const { _, $0, ...args } = parsed.args;
  return args;
}

/** Words that a command may be given: its own options and values of all kinds. */
function wordsFor(command: Command): fastCheck.Arbitrary<readonly string[]> {
  const options = Object.keys(command.options).map((name) => `--${name}`);
  const value = fastCheck.constantFrom(
    'a',
    'a.yaml',
    '12',
    '1e3',
    'x=y',
    'link/*',
    'true',
    'ä',
    '',
    '-',
    "'q'",
  );
  const word = fastCheck.oneof(
    { weight: 4, arbitrary: value },
    { weight: 4, arbitrary: fastCheck.constantFrom('--json', ...options) },
    {
      weight: 1,
      arbitrary: fastCheck.constantFrom('--', '--help', '-q', '--no-json', '--jso', '--__proto__'),
    },
    fastCheck.tuple(fastCheck.constantFrom('--json', ...options), value).map((parts) => parts.join('=')),
  );
  return fastCheck.array(word, { maxLength: 5 });
}

describe('a plain command line', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    'of %s is read as yargs reads it, or left to yargs',
    async (_name, command) => {
      let plain = 0;
      const same = fastCheck.asyncProperty(wordsFor(command), async (words) => {
        const read = readPlain(command, words);
        if (read === null) return;
        plain++;
        expect(read).toEqual(await yargsReads(command, words));
      });
      await fastCheck.assert(same, { numRuns: 500, seed: 1 });
      expect(plain).toBeGreaterThan(5);
    },
  );

  test.each([
    ['run acme.yaml --suite smoke --quiet --only link/* --only=count/* --seed 1', true],
    ['run', true],
    ['diff main latest --json', true],
    ['diff main', false],
    ['diff main latest more', false],
    ['merge', false],
    ['run --help', false],
    ['run --seed', false],
    ['run --seed 1 --seed 2', false],
    ['run --unknown', false],
  ])('%s: %s', (line, plain) => {
    const [name, ...words] = line.split(' ');
    const command = commands.find((one) => one.name === name) as Command;
    expect(readPlain(command, words) !== null).toBe(plain);
  });
});
