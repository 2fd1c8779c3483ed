import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { conclusionOf } from '../../../src/core/conclusion.ts';
import { headline } from '../../../src/report/wording/headline.ts';
import { conform } from '../../../src/run/conform.ts';
import { judgeMock, openMock, requirementOf, targetOf } from '../../support/judge-mock.ts';
import { tokenOf } from '../../support/mock/client.ts';
import { runOptions } from '../../support/run-options.ts';

const CLOCK_RATE = 60;

it('says that a token of the run is needed if an earlier one counts down', async () => {
  const mock = await openMock({ variant: 'token-reused-counting-down', clockRate: CLOCK_RATE });
  await tokenOf(mock);
  // Two minutes of its clock.
  await sleep(2000);
  const target = targetOf(mock, { expiry: { clockRate: CLOCK_RATE }, otherCredentials: null });
  const results = await conform([target], runOptions({ suite: 'full' }));
  const open = results.targets[0]?.requirements.filter(({ verdict }) => verdict === 'inconclusive');
  expect(open?.map(({ id, cause }) => [id, cause?.kind])).toEqual([['token/validity', 'data']]);
  expect(conclusionOf(results)).toBe('needs-data');
  expect(headline(results)).toContain('needs a token issued during the run');
});

it('passes token/validity if the run sees a new token after an old one that counts down', async () => {
  const result = await judgeMock({ variant: 'token-older-than-the-run' });
  expect(requirementOf(result, 'token/validity').verdict).toBe('pass');
});
