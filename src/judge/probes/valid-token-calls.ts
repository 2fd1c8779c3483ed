import type { Exchange } from '../../core/exchange.ts';
import { intermittent } from '../../core/undecided.ts';
import type { CallOptions } from '../../provider/sender.ts';
import type { CheckContext } from '../context.ts';

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
