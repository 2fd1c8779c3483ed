import type { Exchange } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import type { OutageTracker } from './outage-tracker.ts';
import { type Backoff, backoffMs, retryAfterMs, type Trouble } from './retry.ts';

/** What decides whether a request is repeated. */
export interface RetryConditions {
  /** Whether waiting has been of any use lately. */
  readonly mayRetry: boolean;
  /** Most repetitions, where fewer than `limits.retries`. */
  readonly most: number;
  /** Whether it may be repeated when nobody knows what became of it. */
  readonly idempotent: boolean;
  readonly outages: OutageTracker;
}

/** Decides for one request whether, and after how long, it is repeated. */
export class RetryPolicy {
  readonly #limits: Limits;
  readonly #repeating: RetryConditions;
  readonly #most: number;
  #repetitions = 0;
  #staleRepetitions = 0;
  #waitedMs = 0;
  /** When its first trouble was seen, as `performance.now()` gives it. */
  failedAt: number | null = null;

  constructor(limits: Limits, repeating: RetryConditions) {
    this.#limits = limits;
    this.#repeating = repeating;
    this.#most = Math.min(limits.retries, repeating.most);
  }

  /**
   * Milliseconds until the next attempt; null where this exchange is the last. All waiting for one request
   * together stays within `maxRetryAfterMs`, so a provider that always asks for more time cannot hold a run.
   */
  waitAfter(exchange: Exchange, trouble: Trouble | null, stale: boolean): number | null {
    if (stale) return this.#again();
    if (trouble === null || this.#repetitions >= this.#most) return null;
    const { mayRetry, idempotent, outages } = this.#repeating;
    if (!mayRetry || (trouble === 'broken' && !idempotent)) return null;
    if (trouble !== 'throttled' && !outages.mayPass(exchange.request, trouble)) return null;
    const lasting = trouble === 'broken' && outages.isLasting(exchange.request);
    if (lasting && this.#repetitions > 0) return null;
    this.failedAt ??= performance.now();
    const { answer } = exchange;
    const asked = answer === null ? null : retryAfterMs(answer, Date.now());
    // A time that proved too short is not believed again.
    const least =
      asked === null || this.#repetitions > 0
        ? backoffMs(this.#repetitions, this.#backoff(exchange, trouble, this.failedAt))
        : 0;
    return this.#wait(Math.max(asked ?? 0, least));
  }

  #backoff({ request }: Exchange, trouble: Trouble, failedAt: number): Backoff {
    if (trouble === 'throttled') return 'throttled';
    const { outages } = this.#repeating;
    if (trouble === 'broken' && outages.succeededSince(request, failedAt)) return 'single';
    return outages.hasSucceeded(request) ? 'interrupted' : 'down';
  }

  // Every stale connection is one that lay idle, and at most `concurrency` can.
  #again(): number | null {
    this.#staleRepetitions += 1;
    return this.#staleRepetitions <= this.#limits.concurrency + 1 ? 0 : null;
  }

  #wait(milliseconds: number): number | null {
    if (this.#waitedMs + milliseconds > this.#limits.maxRetryAfterMs) return null;
    this.#repetitions += 1;
    this.#waitedMs += milliseconds;
    return milliseconds;
  }
}
