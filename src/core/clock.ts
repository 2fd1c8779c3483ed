import { setTimeout as timeout } from 'node:timers/promises';

/** Where checks read the time and wait. A run has the system's; a replay has one that evidence drives. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits for `milliseconds`; rejects if the signal aborts first. */
  sleep(milliseconds: number, signal: AbortSignal | null): Promise<void>;
}

/** The clock of this machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    timeout(Math.max(0, milliseconds), undefined, signal === null ? {} : { signal }),
};
