import type { Exchange, Failure, HttpRequest } from '../../core/exchange.ts';
import type { Limits } from '../../target/target.ts';
import { failure } from '../failure.ts';
import type { Trouble } from './retry.ts';

/** Consecutive failures of a path, each after all retries, before its requests are no longer retried. */
const FAILURES_BEFORE_NO_RETRY = 3;
/** Consecutive failures of a path before no more requests are sent to it. */
const FAILURES_BEFORE_OPEN = 12;

interface PathState {
  /** Consecutive failures: throttled, or unavailable after all retries. */
  failures: number;
  /** Status of the last failure; null for a refused connection. */
  lastStatus: number | null;
  timedOut: boolean;
}

/**
 * Stops sending to a path that does not answer. Otherwise a provider that lets every request time out, or
 * always answers 429, would delay a run by that time for each request.
 *
 * Time in which requests ran into `answerTimeoutMs` or `connectTimeoutMs` counts once, however many requests
 * waited at the same time. When it reaches `retries - 1` whole timeouts (at least one), paths with a timeout
 * get no further requests, so a run loses at most `retries` timeouts.
 */
export class CircuitBreaker {
  readonly #limits: Pick<Limits, 'answerTimeoutMs' | 'retries'>;
  readonly #paths = new Map<string, PathState>();
  #lostMs = 0;
  #lostUntil = 0;

  constructor(limits: Pick<Limits, 'answerTimeoutMs' | 'retries'>) {
    this.#limits = limits;
  }

  /** Whether a request may be retried: false if retries did not help earlier requests of its path. */
  mayRetry(request: HttpRequest): boolean {
    return (this.#paths.get(pathOf(request))?.failures ?? 0) < FAILURES_BEFORE_NO_RETRY;
  }

  /** Why no more requests are sent to the path of a request; null if it may be sent. */
  refusal(request: HttpRequest): Failure | null {
    const state = this.#paths.get(pathOf(request));
    if (state === undefined) return null;
    const where = `nothing more was sent to ${pathOf(request)}`;
    if (state.failures >= FAILURES_BEFORE_OPEN) {
      const { lastStatus } = state;
      const last = lastStatus === null ? 'a refused connection' : `status ${lastStatus}`;
      return {
        ...failure(
          'retry-later',
          `${where}: ${state.failures} requests in a row failed, the last one with ${last}`,
        ),
        ...(lastStatus === null ? {} : { status: lastStatus }),
      };
    }
    if (!state.timedOut || this.#lostMs < this.#maxLostMs()) return null;
    const seconds = Math.round(this.#lostMs / 100) / 10;
    return failure('retry-later', `${where}: ${seconds} s were spent on requests that timed out`);
  }

  /** Records the final result of a request, after its retries. */
  record(exchange: Exchange, trouble: Trouble | null): void {
    const key = pathOf(exchange.request);
    const state = this.#paths.get(key) ?? { failures: 0, lastStatus: null, timedOut: false };
    this.#paths.set(key, state);
    const code = exchange.failure?.code;
    if (code === 'answer-timeout' || code === 'connect-timeout') {
      state.timedOut = true;
      this.#lose(exchange.startedAt, exchange.startedAt + exchange.durationMs);
    } else if (trouble === 'throttled' || trouble === 'unavailable') {
      state.failures += 1;
      state.lastStatus = exchange.answer?.status ?? null;
    } else if (exchange.answer !== null) {
      state.failures = 0;
    }
  }

  #lose(from: number, until: number): void {
    this.#lostMs += Math.max(0, until - Math.max(from, this.#lostUntil));
    this.#lostUntil = Math.max(this.#lostUntil, until);
  }

  // Slightly less than whole timeouts: a timer may fire early.
  #maxLostMs(): number {
    return 0.95 * this.#limits.answerTimeoutMs * Math.max(1, this.#limits.retries - 1);
  }
}

/** Origin and path of a request. */
export function pathOf({ origin, target }: HttpRequest): string {
  return origin + (target.split('?', 1)[0] ?? '');
}
