import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';

/**
 * A clock for simulated runs. Until `releaseWaits` is called, waits block and time stands still; after that, each
 * wait ends at once and advances the clock.
 */
export class SimulatedClock implements Clock {
  readonly releaseWaits: Promise<void>;
  #release: () => void = () => undefined;
  #passed = 0;

  constructor() {
    this.releaseWaits = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  now(): number {
    return SYSTEM_CLOCK.now() + this.#passed;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.releaseWaits;
    this.#passed += Math.max(0, milliseconds);
  }

  letGo(): void {
    this.#release();
  }

  /** Sum of all waits in milliseconds. */
  get waitedMs(): number {
    return this.#passed;
  }
}
