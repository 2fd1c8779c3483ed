import type { Exchange } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import type { OutageTracker } from './outage-tracker.ts';
import { type Backoff, backoffMs, retryAfterMs, type Trouble } from './retry.ts';

/** What decides whether a request is retried. */
export interface RetryConditions {
  /** False where retries did not help earlier requests of the path. */
  readonly mayRetry: boolean;
  /** Most retries, if fewer than `limits.retries`. */
  readonly most: number;
  /** Whether it may be retried if the provider may already have processed it. */
  readonly idempotent: boolean;
  readonly outages: OutageTracker;
}

/** Decides whether one request is retried, and after how long. */
export class RetryPolicy {
  readonly #limits: Limits;
  readonly #conditions: RetryConditions;
  readonly #most: number;
  #retries = 0;
  #staleRetries = 0;
  #waitedMs = 0;
  /** When it failed first, as `performance.now()` gives it. */
  failedAt: number | null = null;

  constructor(limits: Limits, conditions: RetryConditions) {
    this.#limits = limits;
    this.#conditions = conditions;
    this.#most = Math.min(limits.retries, conditions.most);
  }

  /**
   * Milliseconds until the next attempt; null if there is none. All waits of one request together stay within
   * `maxRetryAfterMs`, so a provider that always asks for more time cannot hold a run.
   */
  waitAfter(exchange: Exchange, trouble: Trouble | null, stale: boolean): number | null {
    if (stale) return this.#again();
    if (trouble === null || this.#retries >= this.#most) return null;
    const { mayRetry, idempotent, outages } = this.#conditions;
    if (!mayRetry || (trouble === 'broken' && !idempotent)) return null;
    if (trouble !== 'throttled' && !outages.mayPass(exchange.request, trouble)) return null;
    const lasting = trouble === 'broken' && outages.isLasting(exchange.request);
    if (lasting && this.#retries > 0) return null;
    this.failedAt ??= performance.now();
    const { answer } = exchange;
    const asked = answer === null ? null : retryAfterMs(answer, Date.now());
    // A Retry-After that was too short is not trusted again.
    const least =
      asked === null || this.#retries > 0
        ? backoffMs(this.#retries, this.#backoff(exchange, trouble, this.failedAt))
        : 0;
    return this.#wait(Math.max(asked ?? 0, least));
  }

  #backoff({ request }: Exchange, trouble: Trouble, failedAt: number): Backoff {
    if (trouble === 'throttled') return 'throttled';
    const { outages } = this.#conditions;
    if (trouble === 'broken' && outages.succeededSince(request, failedAt)) return 'single';
    return outages.hasSucceeded(request) ? 'interrupted' : 'down';
  }

  // A stale connection was idle before, and at most `concurrency` connections can be.
  #again(): number | null {
    this.#staleRetries += 1;
    return this.#staleRetries <= this.#limits.concurrency + 1 ? 0 : null;
  }

  #wait(milliseconds: number): number | null {
    if (this.#waitedMs + milliseconds > this.#limits.maxRetryAfterMs) return null;
    this.#retries += 1;
    this.#waitedMs += milliseconds;
    return milliseconds;
  }
}
