import type { Exchange, HttpRequest } from '../../core/exchange.ts';
import { retryAfterMs } from '../../core/retry-after.ts';
import type { Limits } from '../../target/target.ts';
import type { Attempted } from '../attempt.ts';
import type { PathHealth } from './path-health.ts';
import { type Backoff, backoffMs, type Trouble } from './retry.ts';

/** Milliseconds in which a server notices that other connections were closed. */
const CROWDED_MS = 50;

/** What an attempt shows of its connection. */
type ConnectionState = Pick<Attempted, 'stale' | 'crowded'>;

interface RetryConditions {
  /** Maximum number of retries now, if lower than `limits.retries`. */
  readonly maxRetries: () => number;
  /** Whether it may be retried if the provider may already have processed it. */
  readonly idempotent: boolean;
  /** What earlier requests show. */
  readonly health: PathHealth;
}

/** Decides whether one request is retried, and after how long. */
export class RetryPolicy {
  readonly #limits: Limits;
  readonly #conditions: RetryConditions;
  /** False if retries did not help earlier requests of the path. */
  readonly mayRetry: boolean;
  #retries = 0;
  #connectionRetries = 0;
  #waitedMs = 0;
  /** When it first failed, from `performance.now()`; null if it did not fail. */
  failedAt: number | null = null;

  constructor(request: HttpRequest, limits: Limits, conditions: RetryConditions) {
    this.#limits = limits;
    this.#conditions = conditions;
    this.mayRetry = conditions.health.mayRetry(request);
  }

  /**
   * Milliseconds until the next attempt; null for no retry. All waits of one request together stay within
   * `maxRetryAfterMs`, so a provider that always asks for more time cannot block a run.
   */
  waitAfter(exchange: Exchange, trouble: Trouble | null, { stale, crowded }: ConnectionState): number | null {
    if (stale) return this.#retryConnection(0);
    const maxRetries = Math.min(this.#limits.retries, this.#conditions.maxRetries());
    const crowdedMs = crowded && maxRetries > 0 ? this.#retryConnection(CROWDED_MS) : null;
    if (crowdedMs !== null) return crowdedMs;
    if (trouble === null || this.#retries >= maxRetries) return null;
    const { idempotent, health } = this.#conditions;
    if (!this.mayRetry || (trouble === 'broken' && !idempotent)) return null;
    if (trouble !== 'throttled' && !health.mayRecover(exchange.request, trouble)) return null;
    const lasting = trouble === 'broken' && health.isLasting(exchange.request);
    if (lasting && this.#retries > 0) return null;
    this.failedAt ??= performance.now();
    const { answer } = exchange;
    const requestedMs = answer === null ? null : retryAfterMs(answer.headers, Date.now());
    // A Retry-After is not trusted again if it was too short.
    const minimumMs =
      requestedMs === null || this.#retries > 0
        ? backoffMs(this.#retries, this.#backoff(exchange, trouble, this.failedAt))
        : 0;
    return this.#wait(Math.max(requestedMs ?? 0, minimumMs));
  }

  #backoff({ request }: Exchange, trouble: Trouble, failedAt: number): Backoff {
    if (trouble === 'throttled') return 'throttled';
    const succeededAt = this.#conditions.health.succeededAt(request);
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
