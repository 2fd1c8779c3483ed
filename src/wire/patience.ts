import type { Exchange } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import { asksForPatience, backoffMs, retryAfterMs } from './retry.ts';

/** Decides for one request whether, and after how long, it is repeated. */
export class Patience {
  readonly #limits: Limits;
  /** Whether waiting has been of any use lately. */
  readonly #hopeful: boolean;
  readonly #most: number;
  #repetitions = 0;
  #staleRepetitions = 0;
  #waitedMs = 0;

  /** @param most repetitions, where fewer than `limits.retries` */
  constructor(limits: Limits, hopeful: boolean, most = Number.POSITIVE_INFINITY) {
    this.#most = Math.min(limits.retries, most);
    this.#limits = limits;
    this.#hopeful = hopeful;
  }

  /**
   * Milliseconds until the next attempt; null where this exchange is the last. All waiting for one request
   * together stays within `maxRetryAfterMs`, so a provider that always asks for more time cannot hold a run.
   */
  waitAfter(exchange: Exchange, stale: boolean): number | null {
    if (stale) return this.#again();
    if (!this.#hopeful || this.#repetitions >= this.#most || !isRebuff(exchange)) return null;
    const { answer } = exchange;
    const asked = answer === null ? null : retryAfterMs(answer, Date.now());
    // A time that proved too short is not believed again.
    const least = asked === null || this.#repetitions > 0 ? backoffMs(this.#repetitions) : 0;
    return this.#wait(Math.max(asked ?? 0, least));
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

/** Whether the provider asked to come back later, or nobody listened. */
export function isRebuff({ answer, failure }: Exchange): boolean {
  return answer === null ? failure?.code === 'refused' : asksForPatience(answer);
}
