import { expect, test } from 'vitest';
import type { Suite, TargetResult } from '../../../src/core/results.ts';
import { startMock } from '../../../src/mock/index.ts';
import type { Answer, Interception } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, requirementOf, withVerdict } from '../../support/judge-mock.ts';

type Intercept = NonNullable<Interception['intercept']>;

const refusal = (status: number): Answer => ({ status, reason: '', headers: [], body: Buffer.from('') });

/**
 * Answers list calls 403, or that status, that come within `ms` milliseconds of the last `most` ones that were let through, and for the
 * first `usedUpMs` milliseconds, as after an earlier run.
 */
function forbidAbove(most: number, ms: number, { usedUpMs = 0, status = 403 } = {}): Intercept {
  let passed: readonly number[] = [];
  let firstAt: number | null = null;
  return ({ kind }) => {
    if (kind === 'token') return null;
    const now = performance.now();
    firstAt ??= now;
    passed = passed.filter((at) => now - at < ms);
    if (now < firstAt + usedUpMs || passed.length >= most) return refusal(status);
    passed = [...passed, now];
    return null;
  };
}

/** Tests a conforming provider behind such a limit. */
async function judged(intercept: Intercept, suite: Suite): Promise<TargetResult> {
  const mock = await startMock();
  const judging = judgeBehind(mock, ({ answer }) => answer, { suite, seed: 1, intercept });
  return judging.finally(() => mock.close());
}

test.concurrent('a limit of list calls that an earlier run used up fails no requirement', async () => {
  const result = await judged(forbidAbove(70, 5000, { usedUpMs: 5000 }), 'smoke');
  expect(withVerdict(result, 'fail')).toEqual([]);
  expect(withVerdict(result, 'pass')).toContain('authorization/accepted');
});

test.concurrent.each([
  [5, 20],
  [40, 100],
  [30, 1000],
  [70, 5000],
])('a limit of %i list calls in %i ms that is answered 403 fails no requirement', async (most, ms) => {
  const result = await judged(forbidAbove(most, ms), 'full');
  expect(withVerdict(result, 'fail')).toEqual([]);
});

test.concurrent.each([[10, 1000]])(
  'a limit of %i list calls in %i ms that is answered 401 fails no requirement',
  async (most, ms) => {
    const result = await judged(forbidAbove(most, ms, { status: 401 }), 'full');
    expect(withVerdict(result, 'fail')).toEqual([]);
  },
);

test.concurrent('a list that answers 403 to valid tokens, and 401 to others, may be called with a wrong tenant', async () => {
  const isJwt = /^authorization: Bearer \S+\.\S+\.\S+$/im;
  const refusing: Intercept = ({ kind, head }) => (kind === 'list' && isJwt.test(head) ? refusal(403) : null);
  const result = await judged(refusing, 'smoke');
  expect(result.outcome).toBe('error');
  expect(requirementOf(result, 'authorization/accepted').cause).toEqual({
    kind: 'configuration',
    key: 'tenant',
  });
});

/** Answers 502 to the first call of each page, and to every twelfth one after it. */
function failingEveryTwelfth(): Intercept {
  const calls = new Map<string, number>();
  return ({ kind, target }) => {
    if (kind === 'token') return null;
    const number = calls.get(target) ?? 0;
    calls.set(target, number + 1);
    return number % 12 === 0 ? refusal(502) : null;
  };
}

test.concurrent('a gateway that also fails at calls that are repeated fails no requirement', async () => {
  const result = await judged(failingEveryTwelfth(), 'full');
  expect(withVerdict(result, 'fail')).toEqual([]);
});
