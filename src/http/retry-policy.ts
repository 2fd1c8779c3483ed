import type { Exchange } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import type { Breakdowns } from './outage-tracker.ts';
import { type Backoff, backoffMs, retryAfterMs, type Trouble } from './retry.ts';

/** What decides whether a request is repeated. */
export interface Repeating {
  /** Whether waiting has been of any use lately. */
  readonly hopeful: boolean;
  /** Most repetitions, where fewer than `limits.retries`. */
  readonly most: number;
  /** Whether it may be repeated when nobody knows what became of it. */
  readonly idempotent: boolean;
  readonly breakdowns: Breakdowns;
}

/** Decides for one request whether, and after how long, it is repeated. */
export class Patience {
  readonly #limits: Limits;
  readonly #repeating: Repeating;
  readonly #most: number;
  #repetitions = 0;
  #staleRepetitions = 0;
  #waitedMs = 0;
  /** When its first trouble was seen, as `performance.now()` gives it. */
  troubledAt: number | null = null;

  constructor(limits: Limits, repeating: Repeating) {
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
    const { hopeful, idempotent, breakdowns } = this.#repeating;
    if (!hopeful || (trouble === 'broken' && !idempotent)) return null;
    if (trouble !== 'throttled' && !breakdowns.mayPass(exchange.request, trouble)) return null;
    const lasting = trouble === 'broken' && breakdowns.isLasting(exchange.request);
    if (lasting && this.#repetitions > 0) return null;
    this.troubledAt ??= performance.now();
    const { answer } = exchange;
    const asked = answer === null ? null : retryAfterMs(answer, Date.now());
    // A time that proved too short is not believed again.
    const least =
      asked === null || this.#repetitions > 0
        ? backoffMs(this.#repetitions, this.#backoff(exchange, trouble, this.troubledAt))
        : 0;
    return this.#wait(Math.max(asked ?? 0, least));
  }

  #backoff({ request }: Exchange, trouble: Trouble, troubledAt: number): Backoff {
    if (trouble === 'throttled') return 'throttled';
    const { breakdowns } = this.#repeating;
    if (trouble === 'broken' && breakdowns.succeededSince(request, troubledAt)) return 'single';
    return breakdowns.hasSucceeded(request) ? 'interrupted' : 'down';
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
