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

test.each([
  ['another list', 'GET /v1/jobs', 2],
  ['the second page', '$skip=', 1],
])('an outage of %s when a token has expired is no refusal of that token', async (_what, part, lists) => {
  let isDown = false;
  const resources = [{ path: '/v1/printers' }, { path: '/v1/jobs' }].slice(0, lists);
  const mock = await openMock({ records: 5, clockRate: CLOCK_RATE, resources });
  const result = await judgeBehind(
    mock,
    ({ kind, answer, head }) => {
      isDown ||= kind === 'list' && answer.status === 401;
      return isDown && head.split('\r\n', 1)[0]?.includes(part) === true
        ? { ...NO_LIST, status: 503, reason: 'Service Unavailable' }
        : answer;
    },
    {
      expiry: true,
      only: ['token/refused-after-expiry'],
      target: {
        expiry: { clockRate: CLOCK_RATE },
        limits: { retries: 0 },
        resources: resources.map(({ path }) => ({
          name: path.slice('/v1/'.length),
          path,
          itemSchema: 'printer',
          idField: 'id',
        })),
      },
    },
  );
  expect(requirementOf(result, 'token/refused-after-expiry')).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'unavailable', status: 503 },
  });
});
