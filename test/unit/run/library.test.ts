import { expect, test } from 'vitest';
import { conform, type JudgingOptions } from '../../../src/library.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { unusedTarget } from '../../support/unused-target.ts';

test('conform takes an option that is undefined as left out', async () => {
  const names = ['suite', 'seed', 'runs', 'expiry', 'command', 'runId', 'signal', 'checks'];
  const left = Object.fromEntries(names.map((name) => [name, undefined])) as JudgingOptions;
  const target = targetOf(await openMock({ records: 3 }));
  const { run } = await conform(target, { ...left, only: ['token/type'] });
  expect(run).toMatchObject({ suite: 'full', complete: true, command: 'conform()' });
  expect(run.seed).toEqual(expect.any(Number));
});

test.each([{ suite: 'ful' }, { seed: 0.5 }, { seed: 2 ** 32 }, { seed: -(2 ** 31) - 1 }, { runs: -1 }])(
  'conform rejects %j',
  async (options) => {
    await expect(conform(unusedTarget, options as JudgingOptions)).rejects.toMatchObject({
      name: 'UserError',
    });
  },
);

test('conform rejects what is no custom check, instead of leaving it out', async () => {
  const checks = [{ requirement: { id: 'x/agents-known' } }] as unknown as JudgingOptions['checks'];
  await expect(conform(unusedTarget, { checks: checks ?? [] })).rejects.toMatchObject({ name: 'UserError' });
});
