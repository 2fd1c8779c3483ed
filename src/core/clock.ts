import { setTimeout as timeout } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';

export const DAY_MS = 86_400_000;

/** Reads the time and waits for checks. A run uses the system clock; a replay uses a clock that follows the evidence. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits for `milliseconds`; rejects if the signal aborts first. Without a signal, the end of the run shortens the pause. */
  sleep(milliseconds: number, signal: AbortSignal | null): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    timeout(Math.max(0, milliseconds), undefined, signal === null ? {} : { signal }),
};

/**
 * The clock of a run. Its time is that of the last event that checks see: an answer, or the end of a pause. Evidence
 * records no other times, so a replay decides by the same ones, however long the run took to process an answer.
 */
export class RunClock implements Clock {
  #now: number;
  readonly #end: AbortSignal | null;

  /**
   * @param end ends pauses that have no signal of their own, when the run ends
   * @param startedAt milliseconds since the epoch
   */
  constructor(end: AbortSignal | null, startedAt = SYSTEM_CLOCK.now()) {
    this.#end = end;
    this.#now = startedAt;
  }

  now(): number {
    return this.#now;
  }

  /** Notes the end of an exchange. To be called before checks receive it. */
  note({ startedAt, durationMs }: Exchange): void {
    this.#advanceTo(startedAt + durationMs);
  }

  async sleep(milliseconds: number, signal: AbortSignal | null): Promise<void> {
    const end = this.#now + Math.max(0, milliseconds);
    try {
      await SYSTEM_CLOCK.sleep(end - SYSTEM_CLOCK.now(), signal ?? this.#end);
    } catch (error) {
      if (signal !== null) throw error;
      return;
    }
    this.#advanceTo(end);
  }

  #advanceTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }
}
