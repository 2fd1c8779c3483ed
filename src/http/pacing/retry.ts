import { type Exchange, type HttpAnswer, headerOf } from '../../core/exchange.ts';
import { retryAfterMs } from '../../core/retry-after.ts';

/** Why a request may be retried. */
export type Trouble =
  | 'throttled' // a rate limit
  | 'unavailable' // 503, or a refused connection
  | 'broken'; // another status that an outage or a connection may cause, a lost connection, or a truncated answer

/** Milliseconds before the first retry of each kind, and the factor by which the waits grow. */
const BACKOFF = {
  throttled: { firstMs: 500, growth: 4 },
  down: { firstMs: 250, growth: 2 },
  interrupted: { firstMs: 250, growth: 3 },
  single: { firstMs: 250, growth: 1 },
};
const LONGEST_BACKOFF_MS = 15_000;

/**
 * The kind of backoff if the provider sent no Retry-After: `down` if no request of the path succeeded,
 * `interrupted` if one succeeded earlier, `single` if one succeeded since the failure.
 */
export type Backoff = keyof typeof BACKOFF;

/** Milliseconds before the retry with this number (from 0). */
export function backoffMs(retry: number, kind: Backoff): number {
  const { firstMs, growth } = BACKOFF[kind];
  return Math.min(LONGEST_BACKOFF_MS, firstMs * growth ** retry);
}

/** Statuses that a retry does not change: 501 (not implemented) and 505 (HTTP version not supported). */
const LASTING = [501, 505];

/**
 * Statuses that speak of the connection and not of the request, so that a client repeats it: Request Timeout, Misdirected Request
 * (RFC 9110, 15.5.9 and 15.5.20) and Too Early (RFC 8470).
 */
const OF_CONNECTION = [408, 421, 425];

/**
 * Why an exchange may succeed if it is retried; null if a retry is useless.
 *
 * @param cut whether the answer looks truncated although its framing is complete
 */
export function troubleOf({ answer, failure }: Exchange, cut: boolean): Trouble | null {
  if (answer !== null) {
    if (answer.status === 503) return 'unavailable';
    if (isThrottled(answer)) return 'throttled';
    const mayPass =
      answer.status >= 500 ? !LASTING.includes(answer.status) : OF_CONNECTION.includes(answer.status);
    return cut || mayPass ? 'broken' : null;
  }
  switch (failure?.code) {
    case 'refused':
      return 'unavailable';
    case 'closed':
    case 'truncated':
    case 'encoding':
      return 'broken';
    default:
      return null;
  }
}

/** Statuses of a rate limit: 429 (RFC 6585), and 420 and 509, which some servers use although no standard has them. */
export const OF_LIMITS: readonly number[] = [420, 429, 509];

/**
 * Whether the provider asks to retry later: a rate limit, 503, or another refusal with Retry-After (RFC 9110, 10.2.3),
 * except 401, which speaks of the credentials.
 */
export function isThrottled({ status, headers }: HttpAnswer): boolean {
  if (status === 503 || OF_LIMITS.includes(status)) return true;
  return status >= 400 && status < 500 && status !== 401 && retryAfterMs(headers, Date.now()) !== null;
}

/** Whether an answer is a 503 without Retry-After, which does not say that waiting helps. */
export function isUnexplained503(answer: HttpAnswer | null): boolean {
  return answer?.status === 503 && headerOf(answer.headers, 'retry-after') === null;
}
