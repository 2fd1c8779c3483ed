import { expect, test } from 'vitest';
import type { Suite, TargetResult } from '../../../src/core/results.ts';
import { startMock } from '../../../src/mock/index.ts';
import { type Answer, isToken, startGateway } from '../../support/gateway.ts';
import { judgeTarget, requirementOf, targetOf, withVerdict } from '../../support/judge-mock.ts';

/**
 * Answers list calls 403, or that status, that come within `ms` milliseconds of the last `most` ones that were let through, and for the
 * first `usedUpMs` milliseconds, as after an earlier run.
 */
function forbidAbove(most: number, ms: number, { usedUpMs = 0, status = 403 } = {}): Answer {
  let passed: readonly number[] = [];
  let firstAt: number | null = null;
  return (request, response) => {
    if (isToken(request)) return false;
    const now = performance.now();
    firstAt ??= now;
    passed = passed.filter((at) => now - at < ms);
    if (now >= firstAt + usedUpMs && passed.length < most) {
      passed = [...passed, now];
      return false;
    }
    response.writeHead(status).end();
    return true;
  };
}

/** Tests a conforming provider behind such a limit. */
async function judgeBehind(limit: Answer, suite: Suite): Promise<TargetResult> {
  const mock = await startMock();
  const gateway = await startGateway(mock.baseUrl, limit);
  try {
    return await judgeTarget(targetOf(mock, { authUrl: gateway.url, baseUrl: gateway.url }), {
      suite,
      seed: 1,
    });
  } finally {
    gateway.close();
    await mock.close();
  }
}

test.concurrent('a limit of list calls that an earlier run used up fails no requirement', async () => {
  const result = await judgeBehind(forbidAbove(70, 5000, { usedUpMs: 5000 }), 'smoke');
  expect(withVerdict(result, 'fail')).toEqual([]);
  expect(withVerdict(result, 'pass')).toContain('authorization/accepted');
});

test.concurrent.each([
  [5, 20],
  [10, 50],
  [40, 100],
  [100, 300],
  [30, 1000],
  [70, 5000],
])('a limit of %i list calls in %i ms that is answered 403 fails no requirement', async (most, ms) => {
  const result = await judgeBehind(forbidAbove(most, ms), 'full');
  expect(withVerdict(result, 'fail')).toEqual([]);
});

test.concurrent.each([
  [25, 2000],
  [10, 1000],
])('a limit of %i list calls in %i ms that is answered 401 fails no requirement', async (most, ms) => {
  const result = await judgeBehind(forbidAbove(most, ms, { status: 401 }), 'full');
  expect(withVerdict(result, 'fail')).toEqual([]);
});

test.concurrent('a list that answers 403 to valid tokens, and 401 to others, may be called with a wrong tenant', async () => {
  const isJwt = /^Bearer \S+\.\S+\.\S+$/;
  const result = await judgeBehind((request, response) => {
    if (isToken(request) || !isJwt.test(request.headers.authorization ?? '')) return false;
    response.writeHead(403).end();
    return true;
  }, 'smoke');
  expect(result.outcome).toBe('error');
  expect(requirementOf(result, 'authorization/accepted').cause).toEqual({
    kind: 'configuration',
    key: 'tenant',
  });
});

test.concurrent('a list that answers 403 to every call fails authorization/accepted', async () => {
  const result = await judgeBehind((request, response) => {
    if (isToken(request)) return false;
    response.writeHead(403).end();
    return true;
  }, 'smoke');
  expect(withVerdict(result, 'fail')).toEqual(['authorization/accepted']);
});
