import { Blocked, intermittent, Undecided } from '../../core/undecided.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { type Client, VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';

/** Milliseconds after which a countdown in seconds shows, at a clock rate of 1. */
const COUNTDOWN_STEP_MS = 1100;

/**
 * Requests another token to find out whether a provider issues one token repeatedly and counts its validity down.
 * Throws Undecided if it does, or if the next answer shows nothing.
 *
 * @param stated expires_in of the answer, in seconds
 * @returns the next answer: the same token does not count down, or another one does not have the full validity either
 */
export async function expectNoCountdown(
  context: CheckContext,
  answer: TokenAnswer,
  stated: number,
  client: Client,
): Promise<TokenAnswer> {
  await waitFor(COUNTDOWN_STEP_MS / Math.min(context.target.expiry.clockRate, 10), context);
  const { earlier, next } = await requestAlone(context, answer, client);
  if (next.token === null && next.status === 200)
    throw new Blocked('token/shape', 'a further token answer holds no access_token');
  if (next.token === null) throw intermittent(`a further token request was answered ${next.status}`);
  if (next.token !== answer.token) {
    // Tokens of several ages may come from several caches, which count down.
    if (next.expiresIn !== stated || earlier.some(({ token }) => token === next.token))
      throw intermittent(`expires_in was ${stated} for one token and ${next.expiresIn} for the next`);
    return next;
  }
  if (next.expiresIn !== null && next.expiresIn >= stated) return next;
  throw new Undecided(
    { kind: 'data', needs: 'a token issued during the run', records: null },
    'the provider issues the same token again and counts its lifetime down; rerun when this token has expired',
  );
}

/** Maximum number of requests until one overlaps no request of another check. */
const MAX_REQUESTS = 4;

/**
 * A further answer, and the earlier ones with other tokens. Throws Undecided if each request overlaps one of another check:
 * that may be the first to be given the token.
 */
async function requestAlone(
  { tokens }: CheckContext,
  answer: TokenAnswer,
  client: Client,
): Promise<{ readonly earlier: readonly TokenAnswer[]; readonly next: TokenAnswer }> {
  for (let request = 0; request < MAX_REQUESTS; request++) {
    const earlier = tokens.history
      .answersToValidRequests(client)
      .filter(({ token }) => token !== answer.token);
    const next = await tokens.requestAnother(client);
    if (tokens.history.wasAlone(next)) return { earlier, next };
  }
  throw intermittent('another token request was in progress each time');
}

/**
 * Number of answers, of which two are more than a second apart, after which a provider that gave a different token each time, with
 * one expires_in, keeps no token in a cache.
 */
const MIN_EQUAL_ANSWERS = 3;
/** Number of other answers after which this holds: several caches may have tokens of the same age, or of different ages. */
const MIN_ANSWERS = 6;

/**
 * Whether answers show by themselves that a token does not count down: the same token came with the same expires_in
 * more than a second later, or every answer gave another token.
 *
 * @param answers to valid requests, in any order, the one in question included
 */
export function neverCountsDown(
  answer: TokenAnswer,
  answers: readonly TokenAnswer[],
  clockRate: number,
): boolean {
  const same = answers.filter(({ token }) => token === answer.token);
  if (same.length > 1) return same.at(-1)?.expiresIn === same[0]?.expiresIn && areApart(same, clockRate);
  const tokens = new Set(answers.map(({ token }) => token));
  const values = new Set(
    answers.map(({ expiresIn }) => expiresIn).filter((value) => value !== VALIDITY_SECONDS),
  );
  const areEqual = values.size === 1 && areApart(answers, clockRate);
  return tokens.size === answers.length && answers.length >= (areEqual ? MIN_EQUAL_ANSWERS : MIN_ANSWERS);
}

/** Whether a countdown would show between two of these answers. */
function areApart(answers: readonly TokenAnswer[], clockRate: number): boolean {
  const last = Math.max(...answers.map(({ requestedAt }) => requestedAt));
  const first = Math.min(...answers.map(({ answeredAt }) => answeredAt));
  return (last - first) * clockRate >= COUNTDOWN_STEP_MS;
}

/** The answer in which a token was fresh: the first one or, of those that overlap it, the one with the largest expires_in. */
export function answerWithFreshToken(same: readonly [TokenAnswer, ...TokenAnswer[]]): TokenAnswer {
  const [first] = same;
  return same
    .filter(({ requestedAt }) => requestedAt < first.answeredAt)
    .reduce((one, other) => ((other.expiresIn ?? 0) > (one.expiresIn ?? 0) ? other : one), first);
}
