import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';

/**
 * A clock for simulated runs. Until `releaseWaits` is called, waits block and the time does not advance;
 * after that, each wait ends at once and advances the clock.
 */
export class SimulatedClock implements Clock {
  readonly #released: Promise<void>;
  #release: () => void = () => undefined;
  #elapsedMs = 0;

  constructor() {
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  now(): number {
    return SYSTEM_CLOCK.now() + this.#elapsedMs;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.#released;
    this.#elapsedMs += Math.max(0, milliseconds);
  }

  releaseWaits(): void {
    this.#release();
  }

  /** Sum of all waits in milliseconds. */
  get waitedMs(): number {
    return this.#elapsedMs;
  }
}
