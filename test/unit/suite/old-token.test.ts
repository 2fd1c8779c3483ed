import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { conclusionOf } from '../../../src/core/conclusion.ts';
import { headline } from '../../../src/report/wording/headline.ts';
import { conform } from '../../../src/run/conform.ts';
import {
  judgeBehind,
  judgeMock,
  judgeTarget,
  observed,
  openMock,
  requirementOf,
  targetOf,
} from '../../support/judge-mock.ts';
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

it('sees no difference between a token and its expires_in that counts down', async () => {
  const mock = await openMock({ variant: 'token-reused-counting-down', tokens: 'jwt', records: 1 });
  await tokenOf(mock);
  await sleep(2500);
  const result = await judgeTarget(targetOf(mock, { otherCredentials: null }), { suite: 'smoke' });
  expect(observed(result, 'token-format')).toMatchObject({
    attention: false,
    detail: { lifetimeSeconds: 3600 },
  });
});

it('sees the difference between a new token and its expires_in', async () => {
  const mock = await openMock({ tokens: 'jwt', records: 1 });
  const halved = (body: Buffer): Buffer => Buffer.from(String(body).replace(':3600', ':1800'));
  const result = await judgeBehind(mock, ({ answer }) => ({ ...answer, body: halved(answer.body) }), {
    suite: 'smoke',
  });
  expect(observed(result, 'token-format').attention).toBe(true);
});
