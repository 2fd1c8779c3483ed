import type { Failure, FailureCode } from '../core/exchange.ts';
import { failure } from './failure.ts';

/** Why a run was stopped; the reason of the client's abort signal. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly code: Extract<FailureCode, 'interrupted' | 'time-limit'>;

  private constructor(code: Stop['code'], message: string) {
    super(message);
    this.code = code;
  }

  /** The user stopped the run. */
  static interrupted(): Stop {
    return new Stop('interrupted', 'the run was stopped');
  }

  /** The run exceeded limits.maxRunSeconds, which is `seconds`. */
  static outOfTime(seconds: number): Stop {
    return new Stop('time-limit', `the time limit of ${seconds} s (limits.maxRunSeconds) was reached`);
  }
}

/**
 * The failure of a request that was aborted by a stop; `before` completes the sentence, such as `this was
 * sent`.
 */
export function stopped(signal: AbortSignal, before: string): Failure {
  const stop: unknown = signal.reason;
  const { code, message } = stop instanceof Stop ? stop : Stop.interrupted();
  return failure(code, `${message} before ${before}`);
}
