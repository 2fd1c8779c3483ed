import { Blocked } from '../core/undecided.ts';
import type { Limits } from '../target/target.ts';
import { undecidedIfThrottled } from './throttled-answer.ts';
import { isWebPage, type TokenAnswer } from './token-answer.ts';

/** Why there is no token: Undecided if the endpoint is throttled, otherwise Blocked by the requirement that its answer breaks. */
export function noToken(answer: TokenAnswer, limits: Limits): Error {
  const later = undecidedIfThrottled('the token endpoint', answer.exchange, limits, true);
  if (later !== null) return later;
  return answer.status === 200 && !isWebPage(answer)
    ? new Blocked('token/shape', 'the token answer holds no access_token')
    : new Blocked('token/issued', `the token request was answered ${answer.status}`);
}
