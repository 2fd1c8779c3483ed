import { expect, test } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

test('a list that is open to everybody blocks token/refused-after-expiry', async () => {
  const result = await judgeMock(
    { records: 5, defects: ['gate-absent'], clockRate: 900 },
    { expiry: true, only: ['token/refused-after-expiry', 'authorization/required'] },
  );
  expect(requirementOf(result, 'authorization/required').verdict).toBe('fail');
  expect(requirementOf(result, 'token/refused-after-expiry')).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'blocked' },
  });
});
