import type { Failure } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import { failure } from './failure.ts';

type TimeLimits = Pick<Limits, 'connectTimeoutMs' | 'answerTimeoutMs'>;

function connectLimit({ connectTimeoutMs }: Pick<Limits, 'connectTimeoutMs'>): string {
  return `${connectTimeoutMs} ms (limits.connectTimeoutMs)`;
}

/** The failure of a connection whose TLS handshake exceeds the limit for a connection. */
export function handshakeTimeout(origin: string, limits: Pick<Limits, 'connectTimeoutMs'>): Failure {
  const limit = connectLimit(limits);
  return failure('tls', `${origin} was reached, but the TLS handshake did not finish within ${limit}`);
}

/** Measures one attempt, and reports a failure when it exceeds a time limit. */
export class AttemptTimer {
  readonly #origin: string;
  readonly #limits: TimeLimits;
  readonly #onTimeout: (failure: Failure) => void;
  /** Milliseconds since the epoch. */
  readonly startedAt = Date.now();
  readonly #started = performance.now();
  readonly #connectTimer: NodeJS.Timeout;
  #answerTimer: NodeJS.Timeout;
  /** Milliseconds from the start to the first byte; null if none has arrived. */
  firstByteMs: number | null = null;
  #isReached: boolean = false;
  #pausedSince = 0;
  #pausedMs = 0;

  constructor(origin: string, limits: TimeLimits, onTimeout: (failure: Failure) => void) {
    this.#origin = origin;
    this.#limits = limits;
    this.#onTimeout = onTimeout;
    const { connectTimeoutMs, answerTimeoutMs } = limits;
    this.#connectTimer = setTimeout(() => {
      const limit = connectLimit(limits);
      onTimeout(
        this.#isReached
          ? handshakeTimeout(origin, limits)
          : failure('connect-timeout', `no connection to ${origin} within ${limit}`),
      );
    }, connectTimeoutMs);
    this.#answerTimer = this.#limitAnswer(answerTimeoutMs);
  }

  /** Milliseconds since the start, in steps of a microsecond. */
  get elapsedMs(): number {
    return Math.max(0, Math.round((performance.now() - this.#started) * 1000) / 1000);
  }

  /** Notes that the server accepted the connection, which TLS is still to secure. */
  reached(): void {
    this.#isReached = true;
  }

  /** Ends the limit for the connection. */
  connected(): void {
    clearTimeout(this.#connectTimer);
  }

  /** Notes the first byte; later calls do nothing. */
  received(): void {
    this.firstByteMs ??= this.elapsedMs;
  }

  /** Pauses the limit for the answer, or resumes it. */
  pause(paused: boolean): void {
    if (paused) {
      this.#pausedSince = this.elapsedMs;
      clearTimeout(this.#answerTimer);
      return;
    }
    this.#pausedMs += this.elapsedMs - this.#pausedSince;
    this.#answerTimer = this.#limitAnswer(this.#limits.answerTimeoutMs - (this.elapsedMs - this.#pausedMs));
  }

  stop(): void {
    clearTimeout(this.#connectTimer);
    clearTimeout(this.#answerTimer);
  }

  #limitAnswer(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      const limit = `${this.#limits.answerTimeoutMs} ms (limits.answerTimeoutMs)`;
      const what = this.firstByteMs === null ? 'no answer' : 'no complete answer';
      this.#onTimeout(failure('answer-timeout', `${what} from ${this.#origin} within ${limit}`));
    }, milliseconds);
  }
}
