import { describe, expect, it } from 'vitest';
import { answerWithFreshToken, neverCountsDown } from '../../../../src/judge/proofs/token-countdown.ts';
import type { TokenAnswer } from '../../../../src/provider/token-answer.ts';

/** An answer with one token, by when it was requested and answered. */
const answer = (requestedAt: number, answeredAt: number, expiresIn: number): TokenAnswer =>
  ({ token: 'same', requestedAt, answeredAt, expiresIn }) as TokenAnswer;

describe('the answer in which a token was fresh', () => {
  it('is the first one', () => {
    const [first, later] = [answer(0, 10, 3600), answer(2000, 2010, 3598)];
    expect(answerWithFreshToken([first, later])).toBe(first);
  });

  it('is a later one that was requested before the first one arrived and states more', () => {
    const [overtaking, overtaken] = [answer(5, 10, 3598), answer(0, 30, 3600)];
    expect(answerWithFreshToken([overtaking, overtaken])).toBe(overtaken);
  });

  it('is the first one although a request after it was given more', () => {
    const [first, renewed] = [answer(0, 10, 3598), answer(20, 30, 3600)];
    expect(answerWithFreshToken([first, renewed])).toBe(first);
  });
});

describe('answers that each give another token with one expires_in', () => {
  const answered = (times: readonly number[]): readonly TokenAnswer[] =>
    times.map((at, number) => ({ ...answer(at, at + 10, 3300), token: `token ${number}` }));

  it.each([
    [[0, 100, 200], false],
    [[0, 100, 2000], true],
    [[2000, 100, 0], true],
    [[0, 100, 200, 300, 400, 500], true],
  ] as const)('at %j milliseconds show that none counts down: %s', (times, isShown) => {
    const answers = answered(times);
    expect(answers.map((one) => neverCountsDown(one, answers, 1))).toEqual(times.map(() => isShown));
  });
});
