import type { Exchange } from '../../core/exchange.ts';
import { intermittent } from '../../core/undecided.ts';
import type { CallOptions } from '../../provider/sender.ts';
import { type CheckContext, waitFor } from '../context.ts';

/**
 * A list call with a token that no other call has used. Throws Undecided if no token is issued, or if the call was
 * refused and other token requests may be the reason.
 */
export async function callWithNewToken(context: CheckContext): Promise<Exchange> {
  const { tokens, list } = context;
  const calls: Exchange[] = [];
  await tryUndisturbed(context, async () => {
    const fresh = await tokens.requestUnshared();
    if (fresh.token === null) throw intermittent(`a second token request was answered ${fresh.status}`);
    const exchange = await list.call({ authorization: `Bearer ${fresh.token}` });
    if (exchange.answer?.status === 401 && !tokens.history.inForce(fresh.token, exchange))
      throw new Disturbed();
    calls.push(exchange);
  });
  const [call] = calls;
  if (call === undefined) throw intermittent('a new token was refused after another token request');
  return call;
}

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
