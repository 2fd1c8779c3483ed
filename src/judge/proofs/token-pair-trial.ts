import type { Exchange } from '../../core/exchange.ts';
import { isUndecided } from '../../provider/throttled-answer.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { callAndRead, Disturbed, isAccepted } from '../probes/valid-token-calls.ts';
import { Violation } from '../violation.ts';

/** Longest time, in milliseconds, in which a token is left unused. */
export const MAX_UNUSED_MS = 30_000;
/**
 * Shortest time, in milliseconds, in which a token is left unused: the run may have left the refused token
 * unused for longer than it was old when it was last used.
 */
const MIN_UNUSED_MS = 2000;
/** For how many times as long a control waits. */
const CONTROL_FACTOR = 1.25;
/** Calls with the newer token in that time. */
const CALLS_WITH_NEWER = 20;
/** Pairs of tokens that must end in the same way before a violation is reported. */
const PAIRS = 2;
/** Milliseconds between the requests of the two tokens. */
const BETWEEN_MS = 1000;
/** Times that the refused token is tried again, between two calls with the other one, in case a rate limit refused it. */
export const ROUNDS = 3;
/** Milliseconds after which a rate limit is over: few answer 401, most of them for a second or two. */
export const LIMIT_MS = { unauthorized: 2500, other: 11_000 };

/** The token of a pair that was refused after the other one was used. */
interface EndedToken {
  readonly issued: TokenAnswer;
  readonly accepted: Exchange;
  readonly refused: Exchange;
  readonly again: Exchange;
  /** The last call with the other token, which was accepted. */
  readonly other: Exchange;
  /** Milliseconds for which an older token was left unused; null for a newer one that ended as soon as the older one was used. */
  readonly unusedMs: number | null;
}

/**
 * Uses two tokens in turn: first both, then the newer one alone, for as long as the refused tokens of the run were old,
 * then the older one again. Throws Violation if the use of one of them ends the other, twice in the same way, and an older one
 * does not end in that time if neither is used; Disturbed if the run requests another token in the meantime.
 *
 * @param refusal what the run saw, as a sentence
 * @param ageMs greatest age of a refused token
 */
export async function tryTokenPairs(context: CheckContext, refusal: string, ageMs: number): Promise<void> {
  const unusedMs = Math.min(MAX_UNUSED_MS, Math.max(MIN_UNUSED_MS, ageMs));
  const ended: EndedToken[] = [];
  while (ended.length < PAIRS) {
    const one = await useInTurn(context, unusedMs);
    const [first = one] = ended;
    if (one === null || (one.unusedMs === null) !== (first?.unusedMs === null)) return;
    // Otherwise the request of the newer token may have ended the older one some time later.
    if (one.unusedMs !== null && !(await outlivesRequest(context, one.unusedMs * CONTROL_FACTOR))) return;
    ended.push(one);
  }
  context.exercised();
  const unusedSeconds = ended.flatMap(({ unusedMs: ms }) => (ms === null ? [] : [Math.round(ms / 100) / 10]));
  const how =
    unusedSeconds.length === 0
      ? 'were accepted, and refused as soon as an older token was used'
      : 'were accepted after a newer token was issued, and refused after they had not been used for ' +
        `${Math.max(...unusedSeconds)} s, in which the newer one was used (${PAIRS} others stayed accepted for longer while ` +
        'no token was used)';
  throw new Violation({
    message:
      `${refusal}; ${PAIRS} further tokens ${how}, with no other token request in between; ` +
      `each was refused ${ROUNDS} times more, while the other token was accepted`,
    expected: `accepted for ${VALIDITY_SECONDS} seconds`,
    actual: 'status 401',
    counterexample:
      unusedSeconds.length === 0 ? { olderTokenUsed: true } : { unusedSeconds: Math.max(...unusedSeconds) },
    exchanges: ended.flatMap(({ issued, accepted, refused, again, other }) => [
      refused,
      other,
      again,
      accepted,
      issued,
    ]),
  });
}

/** Whether a token is still accepted so many milliseconds after a newer one was requested if neither is used meanwhile. */
async function outlivesRequest(context: CheckContext, forMs: number): Promise<boolean> {
  const { tokens } = context;
  const pair = await requestPair(context);
  if (pair === null) return false;
  const { begun } = tokens.history.requests;
  const isAcceptedNow = async ({ token }: TokenAnswer): Promise<boolean> =>
    isAccepted(await callAndRead(context, token));
  const [older, newer] = pair;
  if (!(await isAcceptedNow(older)) || !(await isAcceptedNow(newer)) || !(await isAcceptedNow(older)))
    return false;
  await waitFor(forMs, context);
  const isStillAccepted = await isAcceptedNow(older);
  if (tokens.history.requests.begun !== begun) throw new Disturbed();
  return isStillAccepted;
}

/** Two tokens, the older one first; null if both are the same. Throws Disturbed if one is not issued. */
async function requestPair(context: CheckContext): Promise<readonly [TokenAnswer, TokenAnswer] | null> {
  const { tokens } = context;
  const older = await tokens.requestUnshared();
  await waitFor(BETWEEN_MS, context);
  const newer = await tokens.requestUnshared();
  if (older.token === null || newer.token === null) throw new Disturbed();
  return older.token === newer.token ? null : [older, newer];
}

/** Null if both tokens stay accepted, or if anything but the use of the other may explain that one does not. */
async function useInTurn(context: CheckContext, unusedMs: number): Promise<EndedToken | null> {
  const { tokens, clock } = context;
  const pair = await requestPair(context);
  if (pair === null) return null;
  const [older, newer] = pair;
  const requestsBefore = tokens.history.requests.begun;
  const callWith = ({ token }: TokenAnswer): Promise<Exchange> => callAndRead(context, token);
  /** Whether a token stays refused while the other one is accepted. */
  const endOf = async (
    issued: TokenAnswer,
    used: TokenAnswer,
    calls: Pick<EndedToken, 'accepted' | 'refused' | 'unusedMs'>,
  ): Promise<EndedToken | null> => {
    if (calls.refused.answer?.status !== 401) return null;
    const last = await refusedBetween(
      context,
      401,
      () => callWith(issued),
      () => callWith(used),
    );
    if (tokens.history.requests.begun !== requestsBefore) throw new Disturbed();
    return last === null ? null : { ...calls, issued, again: last.refused, other: last.accepted };
  };
  // The older one first: the first use of the newer one may end a token that was not used yet.
  if (!isAccepted(await callWith(older))) return null;
  const newerAccepted = await callWith(newer);
  const accepted = await callWith(older);
  if (!isAccepted(newerAccepted) || !isAccepted(accepted)) return null;
  const lastUsedAt = clock.now();
  for (let call = 1; call <= CALLS_WITH_NEWER; call++) {
    if (call > 1) await waitFor(lastUsedAt + (unusedMs * call) / CALLS_WITH_NEWER - clock.now(), context);
    const used = await callWith(newer);
    if (!isAccepted(used))
      return call === 1
        ? endOf(newer, older, { accepted: newerAccepted, refused: used, unusedMs: null })
        : null;
  }
  const refused = await callWith(older);
  return endOf(older, newer, { accepted, refused, unusedMs: clock.now() - lastUsedAt });
}

/**
 * Makes a call that was refused again, several times, each between two of another call. Returns the last ones; null if not
 * all are answered as expected. A rate limit refuses calls by their time, and so not only those between two others.
 *
 * @param status status of each refusal
 */
export async function refusedBetween(
  context: CheckContext,
  status: number | undefined,
  callRefused: () => Promise<Exchange>,
  callAccepted: () => Promise<Exchange>,
): Promise<{ readonly refused: Exchange; readonly accepted: Exchange } | null> {
  let last = null;
  for (let round = 0; round < ROUNDS; round++) {
    await waitFor(LIMIT_MS.unauthorized, context);
    const before = await callAccepted();
    const refused = await callRefused();
    const accepted = await callAccepted();
    if (!isAccepted(before) || refused.answer?.status !== status || !isAccepted(accepted)) return null;
    last = { refused, accepted };
  }
  return last;
}

/** Later tokens that are requested at most to see whether they end an older one. */
const MAX_LATER_TOKENS = 40;

/** How often this run was given another token after that one. */
export function laterTokens({ tokens }: CheckContext, { token, requestedAt }: TokenAnswer): number {
  const isLater = (answer: TokenAnswer): boolean =>
    answer.requestedAt > requestedAt && answer.token !== token;
  return tokens.history.answersToValidRequests().filter(isLater).length;
}

/**
 * For how long an older token is tried after the last request, and how often: seconds of the provider's clock, and real
 * milliseconds at least, but no more than a part of its validity.
 */
const GRACE = { seconds: 60, minMs: 3000, partOfValidity: 0.25, calls: 6 };

/** Whether a list call with a token is refused now, and not because of a limit or an outage. */
export async function isTokenRefused({ list }: CheckContext, token: string): Promise<boolean> {
  const { answer } = await list.call({ authorization: `Bearer ${token}` });
  return answer !== null && answer.status !== 200 && answer.status < 500 && !isUndecided(answer.status);
}

/** Whether so many later tokens end an older one, at once or soon after: a provider may keep the newest few only. */
export async function newTokensRevokeOldOnes(context: CheckContext, later: number): Promise<boolean> {
  const { tokens, target } = context;
  if (later === 0) return false;
  const { token } = await tokens.requestAnother();
  if (token === null) return false;
  const isRefused = (): Promise<boolean> => isTokenRefused(context, token);
  for (let number = 0; number < Math.min(later, MAX_LATER_TOKENS); number++) {
    await tokens.requestAnother();
    if (await isRefused()) return true;
  }
  const perSecond = 1000 / target.expiry.clockRate;
  const graceMs = Math.min(
    Math.max(GRACE.seconds * perSecond, GRACE.minMs),
    GRACE.partOfValidity * VALIDITY_SECONDS * perSecond,
  );
  for (let call = 0; call < GRACE.calls; call++) {
    await waitFor(graceMs / GRACE.calls, context);
    if (await isRefused()) return true;
  }
  return false;
}
