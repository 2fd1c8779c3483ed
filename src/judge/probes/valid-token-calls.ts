import { type Exchange, headerOf } from '../../core/exchange.ts';
import { Blocked, intermittent, Undecided } from '../../core/undecided.ts';
import type { RefusalInForce } from '../../provider/list-history.ts';
import { type CallOptions, NoAnswer, OVER_CONNECTION } from '../../provider/sender.ts';
import { isOfGateway } from '../../provider/throttled-answer.ts';
import { type CheckContext, waitFor } from '../context.ts';
import type { Violation } from '../violation.ts';

/** Repetitions of a trial at most because the run requested another token during it, which may end that of the trial. */
const MAX_REPETITIONS = 8;
/** Milliseconds before a trial is repeated. */
const PAUSE_MS = 100;

/** Thrown by a trial whose token another token request may have ended. */
export class Disturbed extends Error {}

/** Carries out a trial of tokens that no other token request must disturb; again while one did. */
export async function tryUndisturbed(context: CheckContext, trial: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < MAX_REPETITIONS; tries++) {
    try {
      return await context.tokens.lock.runAlone(trial);
    } catch (error) {
      if (!(error instanceof Disturbed)) throw error;
    }
    await waitFor(PAUSE_MS, context);
  }
}

/** New tokens at most, until one is used before another token request can have ended it. */
const MAX_NEW_TOKENS = 4;

/**
 * A list call with a token that no other call has used. Throws Undecided if no token is issued, or if the call was
 * refused and other token requests may be the reason.
 */
export function callWithNewToken({ tokens, list }: CheckContext): Promise<Exchange> {
  return tokens.lock.runAlone(async () => {
    for (let number = 0; number < MAX_NEW_TOKENS; number++) {
      const fresh = await tokens.requestUnshared();
      if (fresh.token === null) throw intermittent(`a second token request was answered ${fresh.status}`);
      const exchange = await list.call({ authorization: `Bearer ${fresh.token}` });
      if (exchange.answer?.status !== 401 || tokens.history.inForce(fresh.token, exchange)) return exchange;
    }
    throw intermittent('a new token was refused after another token request');
  });
}

/** A list call with the current token of the run. */
export async function callWithToken(
  { tokens, list }: CheckContext,
  options: Omit<CallOptions, 'authorization'> = {},
): Promise<Exchange> {
  return list.call({ ...options, authorization: `Bearer ${await tokens.bearer()}` });
}

/** A list call with a token; its answer counts as one of the run. Throws as ListClient.readAndNote does. */
export async function callAndRead(
  { list }: Pick<CheckContext, 'list'>,
  token: string | null,
  options: Omit<CallOptions, 'authorization'> = {},
): Promise<Exchange> {
  const exchange = await list.call({ ...options, authorization: `Bearer ${token}` });
  list.readAndNote(exchange);
  return exchange;
}

/** The status of an answer; 0 without one. */
export function statusOf({ answer }: Exchange): number {
  return answer?.status ?? 0;
}

export function isAccepted({ answer }: Exchange): boolean {
  return answer?.status === 200;
}

/** How calls are made at a pace that hardly any rate limit refuses. */
interface SlowPace {
  /** Milliseconds before each call. */
  readonly pauseMs: number;
  /** Calls at most. */
  readonly most: number;
  /** Calls in a row, without another request of the run in between, after which a limit is over. */
  readonly callsBefore: number;
  /** Requests that a call makes at most, such as that for its token. */
  readonly requests: number;
}

/** Makes calls one after another, and says which of them follow enough others without a request in between. */
export async function* slowCalls(
  context: CheckContext,
  { pauseMs, most, callsBefore, requests }: SlowPace,
  call: (number: number) => Promise<Exchange>,
): AsyncGenerator<{ readonly exchange: Exchange; readonly isUndisturbed: boolean }> {
  let inRow = 0;
  let before = 0;
  for (let number = 0; number < most; number++) {
    await waitFor(pauseMs, context);
    const exchange = await call(number);
    inRow = exchange.number <= before + requests ? inRow + 1 : 0;
    before = exchange.number;
    yield { exchange, isUndisturbed: inRow >= callsBefore };
  }
}

/** The order of accepted and refused calls. They do not strictly alternate, as a rate limit may let every second call pass. */
const IRREGULAR_ORDER = ['accepted', 'refused', 'refused', 'accepted', 'accepted', 'refused'] as const;
/** A round: an accepted call right before a refused one, and one right after it, exclude an outage. */
const ROUND = ['accepted', 'refused', 'accepted'] as const;
/** Rounds, and the milliseconds between them: longer in all than a restart or a deployment takes. */
const ROUNDS = 4;
const ROUND_PAUSE_MS = 3000;

/**
 * Makes a refused and an accepted call several times, alternately. If each is answered so again, neither an outage nor a
 * rate limit is the reason.
 *
 * @param order what each call is expected to be
 * @param isRefused whether an exchange is such a refusal; any other status than 200 unless given
 * @returns the exchanges, the last one first; null if one is answered in another way
 */
export async function alternateCalls(
  { list }: Pick<CheckContext, 'list'>,
  calls: { readonly refused: CallOptions; readonly accepted: CallOptions },
  order: readonly ('accepted' | 'refused')[] = IRREGULAR_ORDER,
  isRefused: (exchange: Exchange) => boolean = (exchange) => !isAccepted(exchange),
): Promise<readonly Exchange[] | null> {
  const exchanges: Exchange[] = [];
  for (const expected of order) {
    const exchange = await list.call(calls[expected]);
    if (!isRefusedByGateway(exchange)) list.readAndNote(exchange);
    if (expected === 'accepted' ? !isAccepted(exchange) : !isRefused(exchange)) return null;
    exchanges.unshift(exchange);
  }
  return exchanges;
}

/**
 * Lasting refusals by a gateway: each time, the request target is answered 502, 503 or 504 without Retry-After.
 * Returns as {@link findLastingRefusals} does.
 */
export async function refusalsByGateway(
  context: RoundContext,
  target: string,
): Promise<readonly Exchange[] | null> {
  const accepted = `${context.list.path}?$count=true`;
  const refusals = await findLastingRefusals(context, { refused: target, accepted }, isRefusedByGateway);
  if (refusals !== null) context.list.history.calls.noteLasting(target);
  return refusals;
}

type RoundContext = Pick<CheckContext, 'list' | 'tokens' | 'clock' | 'signal'>;

/**
 * Calls a request target in several rounds over some seconds, over kept and new connections. Its refusals last if another
 * target is answered 200 right before and right after each of them.
 *
 * @returns the refusals, the last one first; null if a call is answered in another way, or not at all
 */
export async function findLastingRefusals(
  context: RoundContext,
  { refused, accepted }: { readonly refused: string; readonly accepted: string },
  isRefused: (exchange: Exchange) => boolean,
): Promise<readonly Exchange[] | null> {
  const { tokens } = context;
  const exchanges: Exchange[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) await waitFor(ROUND_PAUSE_MS, context);
      const authorization = `Bearer ${await tokens.bearer()}`;
      const connection = OVER_CONNECTION[round % 2 === 0 ? 'kept' : 'new'];
      const senderOptions: CallOptions['senderOptions'] = { maxRetries: 0, slowsDown: () => false };
      const calls = {
        refused: { target: refused, authorization, ...connection, senderOptions },
        // With retries, each refused call would fall on the one of two servers that is down.
        accepted: { target: accepted, authorization, ...connection, senderOptions },
      };
      const exchangesOfRound = await alternateCalls(context, calls, ROUND, isRefused);
      if (exchangesOfRound === null) return null;
      exchanges.unshift(...exchangesOfRound.filter((exchange) => !isAccepted(exchange)));
    }
  } catch (error) {
    if (error instanceof Undecided || error instanceof NoAnswer) return null;
    throw error;
  }
  return exchanges;
}

/** Whether a gateway answered that it got no answer from the provider, and did not ask to retry later. */
function isRefusedByGateway({ answer }: Exchange): boolean {
  return answer !== null && isOfGateway(answer.status) && headerOf(answer.headers, 'retry-after') === null;
}

/** A refusal that was not in progress at the same time as the first one; null if there is none. */
export function findSeparateRefusal([first, ...others]: readonly RefusalInForce[]): RefusalInForce | null {
  if (first === undefined) return null;
  const endedAt = first.accepted.startedAt + first.accepted.durationMs;
  return others.find(({ refused }) => refused.startedAt >= endedAt) ?? null;
}

/**
 * Expects that a call which proves a breach by its answer 403, or a breach of a rule for pages by its answer 401 or 5xx, is
 * refused again while the plain list call is accepted: otherwise a rate limit, the token, the connection or a server that
 * fails now and then may be the reason. Throws Blocked.
 */
export async function expectRefusedAgain(context: CheckContext, violation: Violation): Promise<void> {
  const { list, tokens, requirement } = context;
  // These compare calls with different tokens.
  if (requirement.id === 'authorization/accepted' || requirement.id === 'token/accepted-until-expiry') return;
  const isAboutPages = !/^(?:token|authorization)\//.test(requirement.id);
  const refused = violation.breaches.map(({ exchanges }) =>
    list.history.calls
      .among(exchanges)
      .find(({ isRefused, status }) =>
        isAboutPages ? isRefused || (status ?? 0) >= 500 : isRefused && status === 403,
      ),
  );
  const [first] = refused;
  if (first === undefined || refused.includes(undefined)) return;
  const authorization = `Bearer ${await tokens.bearer()}`;
  const { target, status } = first;
  const calls = { refused: { target, authorization }, accepted: { authorization } };
  if ((await alternateCalls(context, calls)) !== null) return;
  throw new Blocked(
    'authorization/accepted',
    `GET ${target} was answered ${status}, and in another way when repeated`,
  );
}
