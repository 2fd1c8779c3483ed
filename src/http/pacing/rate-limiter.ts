import { SYSTEM_CLOCK } from '../../core/clock.ts';
import type { Limits } from '../../target/target.ts';

type Turn = (admitted: boolean) => void;

/**
 * Enforces limits.concurrency (urgent requests first, then by arrival) and limits.requestsPerSecond (evenly
 * spaced; a burst of `concurrency` requests may be sent at once).
 */
export class RateLimiter {
  readonly #concurrency: number;
  readonly #intervalMs: number;
  readonly #signal: AbortSignal;
  readonly #urgent: Turn[] = [];
  readonly #queue: Turn[] = [];
  #inFlight = 0;
  /** When the next request is due, without bursts. */
  #dueAt = 0;

  constructor(limits: Pick<Limits, 'concurrency' | 'requestsPerSecond'>, signal: AbortSignal) {
    this.#concurrency = limits.concurrency;
    this.#intervalMs = 1000 / limits.requestsPerSecond;
    this.#signal = signal;
    const rejectAll = (): void => {
      for (const turn of [...this.#urgent.splice(0), ...this.#queue.splice(0)]) turn(false);
    };
    signal.addEventListener('abort', rejectAll, { once: true });
  }

  /**
   * Waits for a slot. Resolves to false if the run was stopped meanwhile; then do not call `leave`.
   *
   * @param isUrgent before queued requests: for the pages of a traversal, which depend on each other
   */
  enter(isUrgent = false): Promise<boolean> {
    if (this.#signal.aborted) return Promise.resolve(false);
    if (this.#inFlight < this.#concurrency) {
      this.#inFlight += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => (isUrgent ? this.#urgent : this.#queue).push(resolve));
  }

  /** Passes the slot to the next request: urgent ones first, then by arrival. */
  leave(): void {
    const next = this.#urgent.shift() ?? this.#queue.shift();
    if (next === undefined) this.#inFlight -= 1;
    else next(true);
  }

  /** Waits until the rate allows one more request. Resolves to false if the run was stopped meanwhile. */
  pace(): Promise<boolean> {
    const now = performance.now();
    const burst = this.#intervalMs * (this.#concurrency - 1);
    const dueAt = Math.max(this.#dueAt, now - burst);
    this.#dueAt = dueAt + this.#intervalMs;
    return pause(dueAt - now, this.#signal);
  }
}

/** Waits for some milliseconds, if it is one or more. Resolves to false if the signal is aborted first. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (milliseconds >= 1) await SYSTEM_CLOCK.sleep(milliseconds, signal).catch(() => undefined);
  return !signal.aborted;
}
