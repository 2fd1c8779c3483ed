import type { Limits } from '../target/target.ts';
import { pause } from './rate-limiter.ts';

/** The longest time between two requests to an origin that Assay chooses by itself. */
const LONGEST_INTERVAL_MS = 1000;
/** Requests whose times tell how fast an origin was asked. */
const RECENT = 16;
/** What is left of an origin's interval after each good answer. */
const EASING = 0.9;
/** Good answers in a row after which one request more may be under way. */
const GOOD_ANSWERS = 32;

/** What is known of one origin: limits of requests hold for a client, not for a path. */
interface Pace {
  /** Nothing is sent before. */
  pausedUntil: number;
  /** Least time between two requests; 0 where nothing is held back. */
  intervalMs: number;
  /** When the next request is due. */
  dueAt: number;
  /** When it was slowed last. What was sent before that tells nothing new. */
  slowedAt: number;
  /** When the latest requests were sent. */
  readonly sentAt: number[];
}

/**
 * How much less is asked of a provider that asked for policy (429, 503) than the limits allow. After such an answer
 * its origin is left alone until that request is repeated, and then asked at half the pace that was too fast; half as many
 * requests are under way at a time. Good answers bring both back step by step. Answers to what was sent
 * before the last such step count for nothing: a burst that is refused as a whole is one sign, not many.
 *
 * Times are milliseconds as `performance.now()` gives them.
 */
export class AdaptiveThrottle {
  readonly #most: number;
  readonly #signal: AbortSignal;
  readonly #paces = new Map<string, Pace>();
  /** Those who wait until fewer requests are under way. */
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #concurrency: number;
  #narrowedAt = Number.NEGATIVE_INFINITY;
  #goodAnswers = 0;

  constructor(limits: Pick<Limits, 'concurrency'>, signal: AbortSignal) {
    this.#most = limits.concurrency;
    this.#concurrency = limits.concurrency;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wakeAll(), { once: true });
  }

  /** Requests that may be under way at a time: from 1 to `limits.concurrency`. */
  get concurrency(): number {
    return this.#concurrency;
  }

  /**
   * Waits until an origin may be asked again and few enough requests are under way. False where the run was stopped
   * meanwhile; otherwise `leave` has to be called when the request is over.
   *
   * @param patient whether to wait at all: no use where waiting did not help those before
   */
  async enter(origin: string, patient: boolean): Promise<boolean> {
    const pace = this.#paceOf(origin);
    while (patient && !this.#signal.aborted) {
      const now = performance.now();
      const dueAt = Math.max(pace.dueAt, pace.pausedUntil);
      // Whoever has waited looks again: somebody else may have taken the turn, or the origin been paused for longer.
      if (dueAt - now >= 1) await pause(dueAt - now, this.#signal);
      else if (this.#underWay >= this.#concurrency)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else {
        pace.dueAt = now + pace.intervalMs;
        break;
      }
    }
    if (this.#signal.aborted) return false;
    this.#underWay += 1;
    return true;
  }

  /** Says that a request is over. */
  leave(): void {
    this.#underWay -= 1;
    this.#wakeAll();
  }

  /** Takes notice that a request leaves; returns when, to be told with its answer. */
  sent(origin: string): number {
    const now = performance.now();
    const { sentAt } = this.#paceOf(origin);
    sentAt.push(now);
    if (sentAt.length > RECENT) sentAt.shift();
    return now;
  }

  /**
   * Takes notice of an answer that asks for policy.
   *
   * @param sentAt when its request was sent
   * @param waitMs after which the request is repeated; null where it is not
   */
  slowDown(origin: string, sentAt: number, waitMs: number | null): void {
    const now = performance.now();
    const pace = this.#paceOf(origin);
    pace.pausedUntil = Math.max(pace.pausedUntil, now + (waitMs ?? 0));
    if (sentAt >= pace.slowedAt) {
      const slower = 2 * Math.max(pace.intervalMs, usualInterval(pace.sentAt));
      pace.intervalMs = Math.min(slower, LONGEST_INTERVAL_MS);
      pace.slowedAt = now;
    }
    if (sentAt < this.#narrowedAt) return;
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    this.#narrowedAt = now;
    this.#goodAnswers = 0;
  }

  /** Takes notice of an answer that does not ask for policy. */
  answered(origin: string, sentAt: number): void {
    const pace = this.#paceOf(origin);
    if (sentAt >= pace.slowedAt) pace.intervalMs = pace.intervalMs < 1 ? 0 : pace.intervalMs * EASING;
    if (sentAt < this.#narrowedAt || this.#concurrency === this.#most) return;
    this.#goodAnswers += 1;
    if (this.#goodAnswers < GOOD_ANSWERS) return;
    this.#concurrency += 1;
    this.#goodAnswers = 0;
  }

  // All of them, since what each waits for is its own: who may not go on waits again.
  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #paceOf(origin: string): Pace {
    const known = this.#paces.get(origin);
    if (known !== undefined) return known;
    const pace: Pace = {
      pausedUntil: 0,
      intervalMs: 0,
      dueAt: 0,
      slowedAt: Number.NEGATIVE_INFINITY,
      sentAt: [],
    };
    this.#paces.set(origin, pace);
    return pace;
  }
}

/** The time between two of the latest requests on average; 0 where there were not two. */
function usualInterval(sentAt: readonly number[]): number {
  const [first] = sentAt;
  const last = sentAt.at(-1);
  return first === undefined || last === undefined ? 0 : (last - first) / Math.max(1, sentAt.length - 1);
}
