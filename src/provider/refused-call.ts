import type { Exchange } from '../core/exchange.ts';
import type { ListHistory } from './list-history.ts';
import { isAboutScope, isAboutTenant } from './refusal-wording.ts';
import { type CallOptions, ON_NEW_CONNECTION } from './sender.ts';
import type { TokenClient } from './token-client.ts';

/** Newer tokens with which a refused call is repeated at most. */
const MAX_RENEWALS = 6;

/**
 * Repetitions that show whether a rate limit explains a 403: half a second and two seconds later, and another eight
 * seconds later if no call was accepted so far. An earlier run may have used up the limit.
 */
const LIMIT_RETRIES = 2;
const LONG_LIMIT_RETRIES = 3;

/** What makes the client repeat a call after pauses while it is answered 403. */
export function repeatedAfterPauses({
  wasAccepted,
}: Pick<ListHistory, 'wasAccepted'>): Pick<CallOptions, 'senderOptions'> {
  const maxRetries = wasAccepted ? LIMIT_RETRIES : LONG_LIMIT_RETRIES;
  return { senderOptions: { limitStatus: 403, maxRetries } };
}

export type CallWithToken = (token: string, options?: Partial<CallOptions>) => Promise<Exchange>;

/** A refused call again over a new connection: at once, and after a pause if a rate limit may explain a 403. */
export async function repeatCall(
  history: ListHistory,
  token: string,
  refused: Exchange,
  callWith: CallWithToken,
): Promise<Exchange> {
  const { forbiddenLimit: limit } = history;
  const again = await callWith(token, ON_NEW_CONNECTION);
  if (refused.answer?.status !== 403) return again;
  if (again.answer?.status === 200) limit.repetitionsHelped++;
  if (again.answer?.status !== 403 || !limit.isPossible) return again;
  // A mistake in the target file: waiting does not help.
  if (!history.wasAccepted && (isAboutScope(again.answer) || isAboutTenant(again.answer))) return again;
  if (limit.trial !== null) {
    await limit.trial;
    return limit.isKnown ? callWith(token, ON_NEW_CONNECTION) : again;
  }
  const trial = callWith(token, { ...ON_NEW_CONNECTION, ...repeatedAfterPauses(history) });
  limit.trial = trial.catch(() => null);
  const later = await trial.finally(() => {
    limit.trial = null;
  });
  if (later.answer?.status !== 200) limit.notePausesWithoutEffect(history.wasAccepted);
  else if (later.retry > 0) limit.pausesHelped++;
  return later;
}

/**
 * The call with a newer token, and with further ones while something else than the call explains that they are refused.
 * Meanwhile no control request is sent, since it may end the newer token.
 */
export function callWithNewerToken(
  tokens: TokenClient,
  token: string,
  refused: Exchange,
  callWith: CallWithToken,
): Promise<Exchange> {
  return tokens.lock.run(() => callUntilAccepted(tokens, token, refused, callWith));
}

async function callUntilAccepted(
  tokens: TokenClient,
  token: string,
  refused: Exchange,
  callWith: CallWithToken,
): Promise<Exchange> {
  const { history } = tokens;
  let newer = await tokens.renew(token);
  let exchange = await callWith(newer);
  const isRefused = ({ answer }: Exchange): boolean =>
    answer !== null && [401, ...refusalsOf(refused)].includes(answer.status);
  for (let tries = 1; tries < MAX_RENEWALS && isRefused(exchange); tries++) {
    // A restart may lose all tokens, and a token request that was sent meanwhile may end the one before it.
    const issuedAt = history.answerOf(newer)?.requestedAt ?? Number.POSITIVE_INFINITY;
    const isLost = issuedAt < refused.startedAt || !history.inForce(newer, exchange);
    if (!isLost) break;
    newer = await tokens.renew(newer);
    exchange = await callWith(newer);
  }
  return exchange;
}

/** The status of a refused call, with which other tokens may be refused as well; none for 403, which a rate limit may give. */
function refusalsOf({ answer }: Exchange): readonly number[] {
  return answer === null || answer.status === 403 ? [] : [answer.status];
}
