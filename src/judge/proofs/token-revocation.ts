import { isServerError } from '../../provider/throttled-answer.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';

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

/** Whether so many later tokens end an older one, at once or soon after: a provider may keep the newest few only. */
export async function newTokensRevokeOldOnes(context: CheckContext, later: number): Promise<boolean> {
  const { tokens, list, target } = context;
  if (later === 0) return false;
  const older = await tokens.requestAnother();
  if (older.token === null) return false;
  const isRefused = async (): Promise<boolean> => {
    const exchange = await list.call({ authorization: `Bearer ${older.token}` });
    const status = exchange.answer?.status ?? 200;
    return status !== 200 && status !== 429 && !isServerError(exchange);
  };
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
