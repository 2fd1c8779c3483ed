import type { Exchange } from '../../core/exchange.ts';
import { asksForPassword } from '../../provider/refusal-wording.ts';
import type { CheckContext } from '../context.ts';
import { orNull } from '../optional-answer.ts';

/** Characters of the shorter made-up token: no limit of a header refuses it. */
const SHORT_LENGTH = 12;

/** Characters of the shortest token that a limit of a header may refuse: servers read far longer headers than that. */
const LEAST_LENGTH = 1000;

/** Statuses of the client's side that say something else: no valid token, a proxy, or too many requests. */
const STATUSES_OF_OTHER_REASONS = [401, 407, 429];

/**
 * Whether a list call with an issued token is refused for the length of that token. Proof: a made-up token of the same
 * length is refused in the same way, and a short one with 401. That answer also shows that baseUrl leads to an API that
 * asks for tokens.
 */
export async function isRefusedForLength(context: CheckContext, { answer }: Exchange): Promise<boolean> {
  const status = answer?.status ?? 0;
  if (status < 400 || status >= 500 || STATUSES_OF_OTHER_REASONS.includes(status)) return false;
  return (await context.list.memo.once(statusOfLongTokens, context)) === status;
}

/**
 * The status for a made-up token as long as the issued one; null if a short one is not answered 401, or if the issued
 * one is so short that its format may be the reason.
 */
async function statusOfLongTokens({ list, tokens, random }: CheckContext): Promise<number | null> {
  const { length } = await tokens.bearer();
  if (length < LEAST_LENGTH) return null;
  const word = random('made-up token of a length').toString(36).padStart(SHORT_LENGTH, 'assay-');
  const call = (token: string): Promise<Exchange | null> =>
    orNull(list.call({ authorization: `Bearer ${token}` }));
  const short = (await call(word.slice(0, SHORT_LENGTH)))?.answer;
  if (short?.status !== 401 || asksForPassword(short)) return null;
  const long = await call(word.repeat(Math.ceil(length / word.length)).slice(0, length));
  return long?.answer?.status ?? null;
}
