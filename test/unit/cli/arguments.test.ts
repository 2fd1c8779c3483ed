import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { expectSelection, readRunOptions } from '../../../src/cli/run/options.ts';
import {
  decimal,
  expectPort,
  flag,
  manyOf,
  oneOf,
  text,
  texts,
  wholeNumber,
} from '../../../src/cli/shared/options.ts';
import { selectIds } from '../../../src/run/custom-checks.ts';
import { said } from '../../support/fake-host.ts';

describe('reading options', () => {
  test('accepts valid values', () => {
    expect(flag({ quiet: true }, 'quiet')).toBe(true);
    expect(flag({}, 'quiet')).toBe(false);
    expect(text({ out: 'a' }, 'out')).toBe('a');
    expect(text({}, 'out')).toBeNull();
    expect(texts({ only: ['a,b', ' c '] }, 'only')).toEqual(['a', 'b', 'c']);
    expect(wholeNumber({ seed: '0' }, 'seed', { least: 0, most: 9 })).toBe(0);
    expect(decimal({ rate: '2.5' }, 'rate', { least: 0.1, most: 9 })).toBe(2.5);
    expect(oneOf({ suite: 'full' }, 'suite', ['smoke', 'full'])).toBe('full');
    expect(manyOf({ format: ['a,b', 'a'] }, 'format', ['a', 'b'])).toEqual(['a', 'b']);
  });

  test.each(['x', '-1', '1.5', '10', '1e1', ' 1', '0x1', 'NaN', '9'.repeat(20)])(
    'refuses %j for a whole number up to 9, and says so',
    (given) => {
      expect(() => wholeNumber({ n: given }, 'n', { least: 0, most: 9 })).toThrow(
        `--n takes a whole number from 0 to 9, not "${given}"`,
      );
    },
  );

  test('rejects empty, repeated and unknown values', () => {
    expect(() => text({ out: '' }, 'out')).toThrow('--out needs a value');
    expect(() => text({ out: ['a', 'b'] }, 'out')).toThrow('--out was given more than once');
    expect(() => texts({ only: ['a,,b'] }, 'only')).toThrow('--only has an empty value');
    expect(() => oneOf({ suite: 'smok' }, 'suite', ['smoke', 'full'])).toThrow('did you mean "smoke"?');
    expect(() => oneOf({ suite: 'zzzzz' }, 'suite', ['smoke', 'full'])).toThrow('it takes smoke, full');
  });
});

test('a port that cannot be opened is a mistake of the user, which other errors are not', () => {
  for (const code of ['EADDRINUSE', 'EACCES'])
    expect(() => expectPort(Object.assign(new Error(code), { code }), 80)).toThrow('port 80');
  expect(() => expectPort(new Error('a bug'), 80)).not.toThrow();
});

describe('options of a run', () => {
  test('have defaults and a random seed', () => {
    const { seed, ...rest } = readRunOptions({});
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(rest).toEqual({
      files: [],
      envFile: null,
      suite: 'full',
      only: [],
      skip: [],
      runs: null,
      formats: [],
      out: null,
      strict: false,
      allowInconclusive: false,
      issuer: null,
      maxRequests: null,
      rate: null,
      expiry: false,
      baseline: null,
      seeded: false,
      shard: null,
      sign: null,
      quiet: false,
      json: false,
    });
  });

  test('make a certification strict, and reject contradicting options', () => {
    expect(readRunOptions({ runs: '0' }).runs).toBe(0);
    expect(readRunOptions({ suite: 'certify' }).strict).toBe(true);
    expect(() => readRunOptions({ suite: 'certify', 'allow-inconclusive': true })).toThrow(UsageError);
    expect(() => readRunOptions({ strict: true, 'allow-inconclusive': true })).toThrow(UsageError);
  });

  test.each([
    [['a.yaml'], 'there is one target'],
    [['a.yaml', 'b.yaml'], 'there are 2 targets'],
  ])('refuse a shard without a target of %j', (target, count) => {
    expect(() => readRunOptions({ target, shard: '3/3' })).toThrow(count);
  });

  test('resolve globs', () => {
    expect(selectIds(readRunOptions({ only: ['count/*,link/offset'] }).only, [])).toEqual([
      'link/offset',
      'count/present',
      'count/stable',
      'count/equals-records',
    ]);
  });

  test.each([
    [{ only: ['link/*'], skip: ['*'] }, [], true],
    [{ only: [], skip: ['*'] }, [], true],
    [{ only: [], skip: ['*'] }, ['x/mine'], false],
    [{ only: [], skip: ['link/*'] }, [], false],
  ])('%j with the custom checks %j exclude everything: %s', ({ only, skip }, customIds, nothing) => {
    const selection = { only: selectIds(only, customIds), skip: selectIds(skip, customIds) };
    const expected = expect(() => expectSelection(selection, customIds));
    if (nothing) expected.toThrow('nothing to test');
    else expected.not.toThrow();
  });
});

test.each(['requirements', 'diff before after'])('assay %s refuses two formats', async (command) => {
  const { status, err } = await said([...command.split(' '), '--json', '--format', 'markdown']);
  expect([status, err]).toEqual([3, 'assay: --json and --format markdown are two formats; choose one\n']);
});
