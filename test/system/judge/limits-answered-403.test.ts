import { expect, test } from 'vitest';
import { startMock } from '../../../src/mock/index.ts';
import { type Answer, isToken, startGateway } from '../../support/gateway.ts';
import { judgeTarget, targetOf, withVerdict } from '../../support/judge-mock.ts';

/** Answers list calls 403 that come within `ms` milliseconds of the last `most` ones that were let through. */
function forbidAbove(most: number, ms: number): Answer {
  let passed: readonly number[] = [];
  return (request, response) => {
    if (isToken(request)) return false;
    const now = performance.now();
    passed = passed.filter((at) => now - at < ms);
    if (passed.length < most) {
      passed = [...passed, now];
      return false;
    }
    response.writeHead(403).end();
    return true;
  };
}

test.concurrent.each([
  [5, 20],
  [10, 50],
  [40, 100],
  [100, 300],
  [30, 1000],
  [70, 5000],
])('a limit of %i list calls in %i ms that is answered 403 fails no requirement', async (most, ms) => {
  const mock = await startMock();
  const gateway = await startGateway(mock.baseUrl, forbidAbove(most, ms));
  try {
    const urls = { authUrl: gateway.url, baseUrl: gateway.url };
    const result = await judgeTarget(targetOf(mock, urls), { seed: 1 });
    expect(withVerdict(result, 'fail')).toEqual([]);
  } finally {
    gateway.close();
    await mock.close();
  }
});
