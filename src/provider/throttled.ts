import { type HttpAnswer, headerOf } from '../core/exchange.ts';
import { CUT } from '../evidence/beginnings.ts';
import type { Limits } from '../target/target.ts';
import { retryAfterMs } from '../wire/retry.ts';

/** Why an answer of status 429 or 503, which ended at `now`, leaves everything open: one sentence about `who`. */
export function throttled(who: string, answer: HttpAnswer, limits: Limits, now: number): string {
  const asked = headerOf(answer.headers, 'retry-after')?.trim() ?? '';
  const wait = retryAfterMs(answer, now);
  if (wait !== null && wait > limits.maxRetryAfterMs) {
    const limit = `${limits.maxRetryAfterMs / 1000} s (limits.maxRetryAfterMs)`;
    return `${who} was answered ${answer.status} with Retry-After: ${asked.length > 80 ? `${asked.slice(0, 80)}${CUT}` : asked}, longer than the ${limit} that Assay waits; run again later`;
  }
  return `${who} kept answering ${answer.status}; run again when it is available, or with a lower rate`;
}
