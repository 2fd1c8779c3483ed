import { expect, test } from 'vitest';
import { conform } from '../../../src/run/conform.ts';
import { judgeTarget, openMock, requirementOf, targetOf } from '../../support/judge-mock.ts';
import { tokenOf } from '../../support/mock/client.ts';
import { runOptions } from '../../support/run-options.ts';

test('token/refused-after-expiry is no failure if the expired token of the target file is one that the run obtains', async () => {
  const mock = await openMock({ tokens: 'opaque', variant: 'token-reused-counting-down' });
  const target = targetOf(mock, { expiredToken: await tokenOf(mock) });
  const [result] = (await conform([target], runOptions({ only: ['token/refused-after-expiry'] }))).targets;
  expect(result && requirementOf(result, 'token/refused-after-expiry').cause).toEqual({
    kind: 'configuration',
    key: 'expiredToken',
  });
});

test('token/refused-after-expiry is not passed with an expired token that is cut off', async () => {
  const mock = await openMock({ tokens: 'opaque' });
  const target = targetOf(mock, { expiredToken: mock.expiredToken.slice(0, -2) });
  const result = await judgeTarget(target, { only: ['token/refused-after-expiry'] });
  expect(requirementOf(result, 'token/refused-after-expiry').cause).toEqual({
    kind: 'configuration',
    key: 'expiredToken',
  });
});
