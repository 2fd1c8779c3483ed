import type { Exchange } from '../../core/exchange.ts';
import { changing, type Undecided } from '../../core/undecided.ts';
import { ON_NEW_CONNECTION } from '../../provider/sender.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { callAndRead, Disturbed, isAccepted } from '../probes/valid-token-calls.ts';
import { Violation } from '../violation.ts';
import { isTokenRefused, LIMIT_MS, ROUNDS, refusedBetween } from './token-pair-trial.ts';

/** Tokens that a token request of the second client must end. */
const TURNS = 2;
/** Calls with each of them before that request, and after it. */
const CALLS_IN_TURN = 4;
/** Token requests of the second client after which each of them is tried: it may end the oldest of a few tokens. */
const MAX_REQUESTS = 5;
/** Longest wait, in milliseconds, until such a token is as old as the refused ones: it may end old tokens only. */
const MAX_WAIT_MS = 30_000;
/** New tokens that may end an older one: a provider may keep the newest few. */
const NEWER_TOKENS = 3;
/** Tokens that are tried, since another user may end one before the run does, or the one that is compared with it. */
const TRIED_TOKENS = 3;

/**
 * Whether new tokens end an older one of the same client at once: then a token request of another user of the credentials,
 * which the run does not see, may end tokens of the run as well. A token that ends at the same age without a newer one does
 * not count.
 *
 * @param options.newer new tokens that are requested at most
 * @param options.ageMs age of the older one, in milliseconds, when the first of them is requested; 0 for any
 */
export async function endsOlderToken(
  context: CheckContext,
  { newer = NEWER_TOKENS, ageMs = 0 } = {},
): Promise<boolean> {
  const { tokens, clock } = context;
  for (let tried = 0; tried < TRIED_TOKENS; tried++) {
    const { token, answeredAt } = await tokens.requestUnshared();
    await waitFor(answeredAt + ageMs - clock.now(), context);
    if (token === null || !isAccepted(await callAndRead(context, token))) continue;
    if (!(await isRefusedAfterRequests(context, token, newer))) return false;
    if (await outlives(context, clock.now() - answeredAt)) return true;
  }
  return false;
}

/** Whether a token is refused after one of so many new tokens was requested. */
async function isRefusedAfterRequests(
  context: CheckContext,
  token: string,
  requests: number,
): Promise<boolean> {
  for (let requested = 0; requested < requests; requested++) {
    await context.tokens.requestUnshared();
    if (await isTokenRefused(context, token)) return true;
  }
  return false;
}

/** Whether a token is accepted at an age, in milliseconds, or the run requested another one before. */
async function outlives(context: CheckContext, ageMs: number): Promise<boolean> {
  const { tokens, clock } = context;
  const { token, answeredAt } = await tokens.requestUnshared();
  const { begun } = tokens.history.requests;
  if (token === null || !isAccepted(await callAndRead(context, token))) return false;
  await waitFor(answeredAt + ageMs - clock.now(), context);
  return isAccepted(await callAndRead(context, token)) || tokens.history.requests.begun !== begun;
}

/**
 * Why a refusal is left open where new tokens end older ones.
 *
 * @param refusal what the run saw, as a sentence
 */
export function causeOfOtherUser(refusal: string): Undecided {
  return changing(
    `${refusal}; here a new token ends an older one, so a token request of another user of these credentials may be the ` +
      'reason: run again with credentials that nobody else uses',
  );
}

/**
 * Throws Violation if a token request of the second client ends a token of the first one, several times, and those of the first
 * client do not: a later token request excuses an end. Throws Disturbed if the run requests another token in the meantime.
 *
 * @param refusal what the run saw, as a sentence
 * @param ageMs age of a token that may be ended
 */
export async function tryWithSecondClient(
  context: CheckContext,
  refusal: string,
  ageMs: number,
): Promise<void> {
  const { tokens, clock, exercised } = context;
  const waitMs = Math.min(MAX_WAIT_MS, ageMs);
  const exchanges: number[] = [];
  let most = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const issued = await tokens.requestUnshared();
    const requestsBefore = tokens.history.requests.begun;
    if (issued.token === null || !tokens.history.wasAlone(issued)) throw new Disturbed();
    // On several connections: one of several servers may not know the token.
    const areAnswered = async (status: number): Promise<number | null> => {
      let last: Exchange | null = null;
      for (let number = 0; number < CALLS_IN_TURN; number++) {
        last = await callAndRead(context, issued.token, ON_NEW_CONNECTION);
        if (last.answer?.status !== status) return null;
      }
      return last?.number ?? null;
    };
    await waitFor(issued.answeredAt + waitMs - clock.now(), context);
    const before = await areAnswered(200);
    if (before === null) return;
    let after: number | null = null;
    let requests = 0;
    let ofSecond: TokenAnswer | null = null;
    while (after === null && requests < MAX_REQUESTS) {
      ofSecond = await tokens.requestAnother('second');
      requests += 1;
      after = await areAnswered(401);
    }
    if (after === null || ofSecond === null) return;
    // Where the newest few tokens are in force, that request took the place of one of the second client's.
    if (tokens.history.requests.begun !== requestsBefore + requests) throw new Disturbed();
    // A provider with one place, or a few, for the newest tokens of all clients treats every later request alike.
    if (turn === 0 && (await endsOlderToken(context, { newer: requests, ageMs: waitMs }))) return;
    // A rate limit that is answered 401 may refuse the calls after the request. A new token may end this one, so first without.
    await waitFor(LIMIT_MS.unauthorized, context);
    if ((await areAnswered(401)) === null) return;
    const fresh = await tokens.requestUnshared();
    const later = await refusedBetween(
      context,
      401,
      () => callAndRead(context, issued.token),
      () => callAndRead(context, fresh.token),
    );
    if (later === null) return;
    most = Math.max(most, requests);
    exchanges.unshift(after, ofSecond.exchange.number, before, issued.exchange.number, later.refused.number);
  }
  exercised();
  throw new Violation({
    message:
      `${refusal}; ${TURNS} further tokens were accepted until the second provider's client requested ` +
      `${most === 1 ? 'a token' : `${most} tokens`}, and refused after that, with no other token request in between; each was ` +
      `refused ${ROUNDS} times more, while a new token was accepted`,
    expected: `accepted for ${VALIDITY_SECONDS} seconds`,
    actual: 'status 401',
    counterexample: { requestsOfSecondClient: most },
    exchanges,
  });
}
