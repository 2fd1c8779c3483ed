import { getOrMake } from '../../core/maps.ts';
import type { Limits } from '../../target/target.ts';
import { pause } from './rate-limiter.ts';

/** The longest interval between two requests to an origin. */
const LONGEST_INTERVAL_MS = 1000;
/** Answers without a reason at about the longest interval after which slowing down is given up for such answers. */
const MAX_VAIN_SLOWDOWNS = 3;
/** Number of latest requests from which the current rate is computed. */
const RECENT = 16;
/** Factor that a good answer applies to the interval. */
const SPEED_UP_FACTOR = 0.9;
/** Good answers in a row after which the concurrency rises by one. */
const GOOD_ANSWERS = 32;

/** The state of one origin: rate limits hold for a client, not for a path. */
class Pace {
  /** No request is sent before. */
  pausedUntil = 0;
  /** Minimum time between two requests; 0 for no limit. */
  intervalMs = 0;
  /** When the next request is due. */
  dueAt = 0;
  /** Slow-downs by answers without a reason, although the interval was about the longest. */
  vainSlowdowns = 0;
  /** Time of the last slow-down. Answers to earlier requests are ignored. */
  slowedAt = Number.NEGATIVE_INFINITY;
  /** Times of the latest requests. */
  readonly sentAt: number[] = [];
}

/** What an answer with status 429 or 503 says about the rate of requests. */
interface SlowAnswer {
  readonly waitMs: number | null;
  readonly hasReason: boolean;
}

/**
 * Slows down below the configured limits when a provider answers 429 or 503: the origin gets no request until the throttled one
 * is retried, then half the rate and half the concurrency. Good answers raise both step by step. Answers to requests sent
 * before the last slow-down are ignored, so a burst that is refused as a whole counts once.
 *
 * Times are in milliseconds, from `performance.now()`.
 */
export class AdaptiveThrottle {
  readonly #maxConcurrency: number;
  readonly #signal: AbortSignal;
  readonly #paces = new Map<string, Pace>();
  /** Requests that wait for a free slot. */
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #concurrency: number;
  /** Also if the concurrency was 1 before. */
  #isConcurrencyReduced: boolean = false;
  #concurrencyReducedAt = Number.NEGATIVE_INFINITY;
  #goodAnswers = 0;

  constructor(limits: Pick<Limits, 'concurrency'>, signal: AbortSignal) {
    this.#maxConcurrency = limits.concurrency;
    this.#concurrency = limits.concurrency;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wakeAll(), { once: true });
  }

  /** The concurrency, 1 or more, from the time when it was reduced until it is `limits.concurrency` again; otherwise null. */
  get reducedConcurrency(): number | null {
    return this.#isConcurrencyReduced ? this.#concurrency : null;
  }

  /**
   * Waits until a request to an origin may be sent. Resolves to false if the run was stopped meanwhile;
   * otherwise call `leave` when the request is complete.
   *
   * @param patient false to skip waiting, if it did not help earlier requests
   */
  async enter(origin: string, patient: boolean): Promise<boolean> {
    const pace = this.#paceOf(origin);
    while (patient && !this.#signal.aborted) {
      const now = performance.now();
      const dueAt = Math.max(pace.dueAt, pace.pausedUntil);
      // Check again after waiting: another request may have been sent, or the origin paused for longer.
      if (dueAt - now >= 1) await pause(dueAt - now, this.#signal);
      else if (this.#inFlight >= this.#concurrency)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else {
        pace.dueAt = now + pace.intervalMs;
        break;
      }
    }
    if (this.#signal.aborted) return false;
    this.#inFlight += 1;
    return true;
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#wakeAll();
  }

  /** Records that a request is sent. Returns the time to pass to `slowDown` or `answered`. */
  sent(origin: string): number {
    const now = performance.now();
    const { sentAt } = this.#paceOf(origin);
    sentAt.push(now);
    if (sentAt.length > RECENT) sentAt.shift();
    return now;
  }

  /**
   * Records an answer with status 429 or 503.
   *
   * @param sentAt when its request was sent
   * @param waitMs time until the request is retried; null if it is not
   * @param hasReason false if the answer does not say that a lower rate helps. If it did not help a few times, such answers
   *   slow nothing down any more: they may be random
   */
  slowDown(origin: string, sentAt: number, { waitMs, hasReason }: SlowAnswer): void {
    const now = performance.now();
    const pace = this.#paceOf(origin);
    pace.pausedUntil = Math.max(pace.pausedUntil, now + (waitMs ?? 0));
    if (!hasReason && pace.intervalMs > LONGEST_INTERVAL_MS / 2) pace.vainSlowdowns += 1;
    if (!hasReason && pace.vainSlowdowns >= MAX_VAIN_SLOWDOWNS) {
      pace.intervalMs = 0;
      return;
    }
    if (sentAt >= pace.slowedAt) {
      const slower = 2 * Math.max(pace.intervalMs, meanInterval(pace.sentAt));
      pace.intervalMs = Math.min(slower, LONGEST_INTERVAL_MS);
      pace.slowedAt = now;
    }
    this.reduceConcurrency(sentAt);
  }

  /** Halves the concurrency, unless that was done since the request was sent. */
  reduceConcurrency(sentAt: number): void {
    if (sentAt < this.#concurrencyReducedAt) return;
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    this.#isConcurrencyReduced = true;
    this.#concurrencyReducedAt = performance.now();
    this.#goodAnswers = 0;
  }

  /** Records an answer with any other status. */
  answered(origin: string, sentAt: number): void {
    const pace = this.#paceOf(origin);
    if (sentAt >= pace.slowedAt)
      pace.intervalMs = pace.intervalMs < 1 ? 0 : pace.intervalMs * SPEED_UP_FACTOR;
    if (sentAt < this.#concurrencyReducedAt || !this.#isConcurrencyReduced) return;
    this.#goodAnswers += 1;
    if (this.#goodAnswers < GOOD_ANSWERS) return;
    this.#concurrency = Math.min(this.#maxConcurrency, this.#concurrency + 1);
    this.#isConcurrencyReduced = this.#concurrency < this.#maxConcurrency;
    this.#goodAnswers = 0;
  }

  // Wakes all: each rechecks its condition and may wait again.
  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #paceOf(origin: string): Pace {
    return getOrMake(this.#paces, origin, () => new Pace());
  }
}

/** The mean time between the latest requests; 0 if there were fewer than two. */
function meanInterval(sentAt: readonly number[]): number {
  const [first] = sentAt;
  const last = sentAt.at(-1);
  return first === undefined || last === undefined ? 0 : (last - first) / Math.max(1, sentAt.length - 1);
}
