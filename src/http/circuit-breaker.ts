import type { Exchange, Failure, HttpRequest } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import { failure } from './failure.ts';
import type { Trouble } from './retry.ts';

/** Rebuffs in a row at one path, each after all its repetitions, from which on none is repeated any more. */
const FAILURES_BEFORE_NO_RETRY = 3;
/** Rebuffs in a row at one path from which on nothing more is sent there. */
const FAILURES_BEFORE_OPEN = 12;

/** What is known of one path. */
interface PathState {
  /** Rebuffs in a row. */
  failures: number;
  /** The last of them. */
  lastFailure: string;
  timedOut: boolean;
}

/**
 * How much of a run is spent on waiting for answers that do not come. A provider that lets every request run
 * into its time limit, or asks for policy without end, would otherwise hold a run for that long times the
 * number of its questions.
 *
 * Time in which requests ran into `answerTimeoutMs` or `connectTimeoutMs` is counted once however many waited.
 * Where it comes to `retries - 1` whole timeouts (at least one), paths that let a request run out are not asked
 * again, so that with what is under way then no more than `retries` timeouts are lost.
 */
export class CircuitBreaker {
  readonly #limits: Pick<Limits, 'answerTimeoutMs' | 'retries'>;
  readonly #paths = new Map<string, PathState>();
  #lostMs = 0;
  #lostUntil = 0;

  constructor(limits: Pick<Limits, 'answerTimeoutMs' | 'retries'>) {
    this.#limits = limits;
  }

  /** Whether waiting may help a request: false once it did not help those before it. */
  mayRetry(request: HttpRequest): boolean {
    return (this.#paths.get(pathOf(request))?.failures ?? 0) < FAILURES_BEFORE_NO_RETRY;
  }

  /** Why nothing more is sent to the path of a request; null where it is asked. */
  refusal(request: HttpRequest): Failure | null {
    const state = this.#paths.get(pathOf(request));
    if (state === undefined) return null;
    const where = `nothing more was sent to ${pathOf(request)}`;
    if (state.failures >= FAILURES_BEFORE_OPEN) {
      return failure(
        'retry-later',
        `${where}: ${state.failures} requests in a row came to nothing, the last one with ${state.lastFailure}`,
      );
    }
    if (!state.timedOut || this.#lostMs < this.#mostMs()) return null;
    const seconds = Math.round(this.#lostMs / 100) / 10;
    return failure('retry-later', `${where}: ${seconds} s went by in waiting for answers that did not come`);
  }

  /** Takes notice of what a request, its repetitions included, came to. */
  note(exchange: Exchange, trouble: Trouble | null): void {
    const key = pathOf(exchange.request);
    const state = this.#paths.get(key) ?? { failures: 0, lastFailure: '', timedOut: false };
    this.#paths.set(key, state);
    const code = exchange.failure?.code;
    if (code === 'answer-timeout' || code === 'connect-timeout') {
      state.timedOut = true;
      this.#lose(exchange.startedAt, exchange.startedAt + exchange.durationMs);
    } else if (trouble === 'throttled' || trouble === 'unavailable') {
      state.failures += 1;
      state.lastFailure =
        exchange.answer === null ? 'a refused connection' : `status ${exchange.answer.status}`;
    } else if (exchange.answer !== null) {
      state.failures = 0;
    }
  }

  #lose(from: number, until: number): void {
    this.#lostMs += Math.max(0, until - Math.max(from, this.#lostUntil));
    this.#lostUntil = Math.max(this.#lostUntil, until);
  }

  // A timer may fire a moment early.
  #mostMs(): number {
    return 0.95 * this.#limits.answerTimeoutMs * Math.max(1, this.#limits.retries - 1);
  }
}

/** The path of a request with its origin: what provider and Assay keep apart when one asks the other for policy. */
export function pathOf({ origin, target }: HttpRequest): string {
  return origin + (target.split('?', 1)[0] ?? '');
}
