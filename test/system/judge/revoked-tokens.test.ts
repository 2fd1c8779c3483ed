import { expect, test } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

test('a token that later ones end is not mistaken for answers that come too slowly', async () => {
  const result = await judgeMock(
    { variant: 'token-newest-two-not-found', records: 5, clockRate: 900, latencyMs: 40 },
    { expiry: true, only: ['token/refused-after-expiry'] },
  );
  expect(requirementOf(result, 'token/refused-after-expiry').verdict).toBe('pass');
});
