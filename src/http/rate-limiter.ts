import type { Limits } from '../target/target.ts';

type Turn = (admitted: boolean) => void;

/**
 * Keeps the load on a provider within its limits: at most `concurrency` requests at a time, urgent ones first and
 * otherwise first come first served, and `requestsPerSecond` evenly spread, where a burst as large as `concurrency` may come at once.
 */
export class RateLimiter {
  readonly #concurrency: number;
  readonly #intervalMs: number;
  readonly #signal: AbortSignal;
  readonly #urgent: Turn[] = [];
  readonly #queue: Turn[] = [];
  #inside = 0;
  /** When the next request would be due were they sent without any burst. */
  #dueAt = 0;

  constructor(limits: Pick<Limits, 'concurrency' | 'requestsPerSecond'>, signal: AbortSignal) {
    this.#concurrency = limits.concurrency;
    this.#intervalMs = 1000 / limits.requestsPerSecond;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#dismissAll(), { once: true });
  }

  /**
   * Waits for a place. Urgent is what others wait for in turn, such as a page whose link leads to the next. False where the run was stopped meanwhile; then there is nothing to leave.
   */
  enter(urgent = false): Promise<boolean> {
    if (this.#signal.aborted) return Promise.resolve(false);
    if (this.#inside < this.#concurrency) {
      this.#inside += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => (urgent ? this.#urgent : this.#queue).push(resolve));
  }

  /** Gives the place to whoever has waited longest, urgent ones first. */
  leave(): void {
    const next = this.#urgent.shift() ?? this.#queue.shift();
    if (next === undefined) this.#inside -= 1;
    else next(true);
  }

  /** Waits until the rate allows one more request. False where the run was stopped meanwhile. */
  pace(): Promise<boolean> {
    const now = performance.now();
    const burst = this.#intervalMs * (this.#concurrency - 1);
    const dueAt = Math.max(this.#dueAt, now - burst);
    this.#dueAt = dueAt + this.#intervalMs;
    return pause(dueAt - now, this.#signal);
  }

  #dismissAll(): void {
    for (const turn of [...this.#urgent.splice(0), ...this.#queue.splice(0)]) turn(false);
  }
}

/** Waits that many milliseconds (not at all below one). False where the signal came first. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (milliseconds < 1) return Promise.resolve(true);
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
