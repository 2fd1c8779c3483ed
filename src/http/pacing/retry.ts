import {
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  headerOf,
  retryAfterMs,
} from '../../core/exchange.ts';
import type { Limits } from '../../target/target.ts';
import type { SendOptions } from '../request.ts';
import type { PathHealth, Trouble } from './path-health.ts';

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
type Backoff = keyof typeof BACKOFF;

/** Milliseconds before the retry with this number (from 0). */
export function backoffMs(retry: number, kind: Backoff): number {
  const { firstMs, growth } = BACKOFF[kind];
  return Math.min(LONGEST_BACKOFF_MS, firstMs * growth ** retry);
}

/** Statuses that a retry does not change: 501 (not implemented) and 505 (HTTP version not supported). */
const LASTING = [501, 505];

/**
 * Statuses that concern the connection and not the request, so that a client repeats it: Request Timeout, Misdirected Request
 * (RFC 9110, 15.5.9 and 15.5.20) and Too Early (RFC 8470).
 */
const OF_CONNECTION = [408, 421, 425];

/**
 * Why an exchange may succeed if it is retried; null if a retry is useless.
 *
 * @param isCut whether the answer looks truncated although its framing is complete
 */
export function troubleOf({ answer, failure }: Exchange, isCut: boolean): Trouble | null {
  if (answer !== null) {
    if (answer.status === 503) return 'unavailable';
    if (isThrottled(answer)) return 'throttled';
    const mayPass =
      answer.status >= 500 ? !LASTING.includes(answer.status) : OF_CONNECTION.includes(answer.status);
    return isCut || mayPass ? 'broken' : null;
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

/** Bytes of a refusal in which an error code is looked for. */
const MAX_REFUSAL_BYTES = 16_384;

/** A body whose error code judges the token request itself, so that waiting changes nothing (RFC 6749, 5.2). */
const JUDGES_REQUEST =
  /"error"\s*:\s*"(?:invalid_(?:request|client|grant|scope)|unauthorized_client|unsupported_grant_type)"/u;

/**
 * Whether the provider asks to retry later: a rate limit, 503, or another refusal with Retry-After (RFC 9110, 10.2.3),
 * except 401, which concerns the credentials, and one with an OAuth error about the request.
 */
export function isThrottled({ status, headers, body }: HttpAnswer): boolean {
  if (status === 503 || OF_LIMITS.includes(status)) return true;
  if (status < 400 || status > 499 || status === 401 || retryAfterMs(headers, Date.now()) === null)
    return false;
  return !JUDGES_REQUEST.test(new TextDecoder().decode(body.subarray(0, MAX_REFUSAL_BYTES)));
}

/** Whether an answer is a 503 without Retry-After, which does not say that waiting helps. */
export function isUnexplained503(answer: HttpAnswer | null): boolean {
  return answer?.status === 503 && headerOf(answer.headers, 'retry-after') === null;
}

/** Milliseconds in which a server notices that other connections were closed. */
const CROWDED_MS = 50;

/** What an attempt shows of its connection. */
export interface ConnectionState {
  /** Whether a kept-alive connection was already closed, with no byte of an answer. */
  readonly isStale: boolean;
  /** Whether a new connection was not served, perhaps because too many are open. */
  readonly isCrowded: boolean;
}

/** A request with what decides whether it is retried: see {@link SendOptions}. */
export interface RetriedRequest extends Required<Pick<SendOptions, 'maxRetries' | 'isInVain'>> {
  readonly sent: HttpRequest;
  /** Whether it may be retried if the provider may already have processed it. */
  readonly isIdempotent: boolean;
}

/** Decides whether one request is retried, and after how long. */
export class RetryPolicy {
  readonly #request: RetriedRequest;
  readonly #limits: Limits;
  readonly #health: PathHealth;
  /** False if retries did not help earlier requests of the path. */
  readonly mayRetry: boolean;
  #retries = 0;
  #connectionRetries = 0;
  #waitedMs = 0;
  /** When it first failed, from `performance.now()`; null if it did not fail. */
  failedAt: number | null = null;
  /** Whether it was retried after the time that an answer asked to wait. */
  hasObeyed: boolean = false;

  /** @param health what earlier requests show */
  constructor(request: RetriedRequest, limits: Limits, health: PathHealth) {
    this.#request = request;
    this.#limits = limits;
    this.#health = health;
    this.mayRetry = health.mayRetry(request.sent);
  }

  /**
   * Milliseconds until the next attempt; null for no retry. All waits of one request together stay within
   * `maxRetryAfterMs`, so a provider that always asks for more time cannot block a run.
   */
  waitAfter(
    { answer }: Exchange,
    trouble: Trouble | null,
    { isStale, isCrowded }: ConnectionState,
  ): number | null {
    if (isStale) return this.#retryConnection(0);
    const { sent, isIdempotent, isInVain } = this.#request;
    const maxRetries = isInVain() ? 0 : Math.min(this.#limits.retries, this.#request.maxRetries);
    const crowdedMs = isCrowded && maxRetries > 0 ? this.#retryConnection(CROWDED_MS) : null;
    if (crowdedMs !== null) return crowdedMs;
    if (trouble === null || this.#retries >= maxRetries) return null;
    if (!this.mayRetry || (trouble === 'broken' && !isIdempotent)) return null;
    if (trouble !== 'throttled' && !this.#health.mayRecover(sent, trouble)) return null;
    const lasting = trouble === 'broken' && this.#health.isLasting(sent);
    if (lasting && this.#retries > 0) return null;
    this.failedAt ??= performance.now();
    const requestedMs = answer === null ? null : retryAfterMs(answer.headers, Date.now());
    // A Retry-After is not trusted again if it was too short.
    const minimumMs =
      requestedMs === null || this.#retries > 0
        ? backoffMs(this.#retries, this.#backoff(trouble, this.failedAt))
        : 0;
    const waitMs = this.#wait(Math.max(requestedMs ?? 0, minimumMs));
    this.hasObeyed ||= requestedMs !== null && waitMs !== null;
    return waitMs;
  }

  #backoff(trouble: Trouble, failedAt: number): Backoff {
    if (trouble === 'throttled') return 'throttled';
    const succeededAt = this.#health.succeededAt(this.#request.sent);
    if (trouble === 'broken' && succeededAt > failedAt) return 'single';
    return succeededAt > Number.NEGATIVE_INFINITY ? 'interrupted' : 'down';
  }

  // At most `concurrency` connections can be idle, and so stale or in the way of others.
  #retryConnection(waitMs: number): number | null {
    this.#connectionRetries += 1;
    return this.#connectionRetries <= this.#limits.concurrency + 1 ? waitMs : null;
  }

  #wait(milliseconds: number): number | null {
    if (this.#waitedMs + milliseconds > this.#limits.maxRetryAfterMs) return null;
    this.#retries += 1;
    this.#waitedMs += milliseconds;
    return milliseconds;
  }
}
