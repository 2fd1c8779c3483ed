import { type Exchange, headerOf, retryAfterMs } from '../core/exchange.ts';
import { Undecided, unavailable } from '../core/undecided.ts';
import { CUT } from '../evidence/redaction/secret-forms.ts';
import { isThrottled, OF_LIMITS } from '../http/pacing/retry.ts';
import type { Limits } from '../target/target.ts';

/**
 * Undecided for an answer that asks to retry later; null for any other answer.
 *
 * @param never whether the endpoint has given no other answer so far; then a 503 is an error of the run
 */
export function undecidedIfThrottled(
  who: 'the list call' | 'the token endpoint',
  { answer, startedAt, durationMs }: Exchange,
  limits: Limits,
  never = false,
): Undecided | null {
  if (answer === null || !isThrottled(answer)) return null;
  const verdict = never && answer.status === 503 ? 'error' : 'inconclusive';
  const retryAfter = headerOf(answer.headers, 'retry-after')?.trim() ?? '';
  const waitMs = retryAfterMs(answer.headers, startedAt + durationMs) ?? 0;
  const limit = `${limits.maxRetryAfterMs / 1000} s (limits.maxRetryAfterMs)`;
  const detail =
    waitMs > limits.maxRetryAfterMs
      ? `${who} was answered ${answer.status} with Retry-After: ` +
        `${retryAfter.length > 80 ? `${retryAfter.slice(0, 80)}${CUT}` : retryAfter}, ` +
        `longer than the ${limit} that Assay waits; run again later`
      : `${who} kept answering ${answer.status}, also at a lower rate. ` +
        'Run again when it is available, or with lower limits (limits.requestsPerSecond, limits.concurrency)';
  return new Undecided({ kind: 'unavailable', status: answer.status }, detail, verdict);
}

/** Whether a rate limit or a gateway answered, so that the provider did not decide about the request. */
export function isUndecided(status: number): boolean {
  return OF_LIMITS.includes(status) || isOfGateway(status);
}

/** Undecided for correct credentials that are refused after wrong requests. */
export function lockedOut({ status }: { readonly status: number }): Undecided {
  const advice = isOfLock(status)
    ? 'The client may be locked or this address blocked: unlock it, or lower probes.wrongCredentials'
    : 'The token endpoint may have been down: run the test again';
  return unavailable(
    status,
    `after the wrong requests, the correct credentials were refused too, so those refusals prove nothing. ${advice}`,
  );
}

/** Whether providers refuse a client that they have locked with that status. */
export function isOfLock(status: number): boolean {
  return [400, 401, 403, 423, 429].includes(status);
}

/** Whether a call was answered 403 without Retry-After, which asks to retry later. */
export function isForbidden({ answer }: Exchange): boolean {
  return answer?.status === 403 && !isThrottled(answer);
}

/** Whether a status redirects or refuses a call, and neither its token nor a limit is the usual reason. */
export function isOtherRefusal(status: number): boolean {
  return status >= 300 && status < 500 && ![401, 403, 429].includes(status);
}

/** Whether a call was answered 5xx other than 503, which asks to retry later. */
export function isServerError({ answer }: Exchange): boolean {
  return answer !== null && answer.status >= 500 && !isThrottled(answer);
}

/** Whether gateways use that status if the provider is down. */
export function isOfGateway(status: number): boolean {
  return [502, 503, 504].includes(status);
}
