import { setTimeout as timeout } from 'node:timers/promises';

/**
 * Reads the time and waits for checks. A run uses the system clock; a replay uses a clock that follows the
 * evidence.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits for `milliseconds`; rejects if the signal aborts first. */
  sleep(milliseconds: number, signal: AbortSignal | null): Promise<void>;
}

/** The system clock. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    timeout(Math.max(0, milliseconds), undefined, signal === null ? {} : { signal }),
};
