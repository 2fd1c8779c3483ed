import { expect, test } from 'vitest';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

/** An hour of this provider's clock lasts four seconds. */
const CLOCK_RATE = 900;
const NO_LIST = { status: 404, reason: 'Not Found', headers: [], body: Buffer.from('') };

test('an outage of the list when a token has expired is no refusal of that token', async () => {
  let isDown = false;
  const mock = await openMock({ records: 5, clockRate: CLOCK_RATE });
  const result = await judgeBehind(
    mock,
    ({ kind, answer }) => {
      // The mock refuses the first token that has expired.
      isDown ||= kind === 'list' && answer.status === 401;
      return isDown && kind === 'list' ? NO_LIST : answer;
    },
    {
      expiry: true,
      only: ['token/refused-after-expiry'],
      target: { expiry: { clockRate: CLOCK_RATE } },
    },
  );
  expect(requirementOf(result, 'token/refused-after-expiry')).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'unavailable', status: 404 },
  });
});
