import type { Exchange } from '../core/exchange.ts';
import { isThrottled } from '../http/pacing/retry.ts';

/** Whether a call was answered 5xx other than 503, which asks to retry later. */
export function isServerError({ answer }: Exchange): boolean {
  return answer !== null && answer.status >= 500 && !isThrottled(answer);
}
