import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';

/**
 * A clock that does not make anybody wait: once it is let go, a wait is over at once and the time has passed all the
 * same. Until then whoever waits is held back, so that time stands still for the others.
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

  /** Milliseconds that were waited through. */
  get waitedMs(): number {
    return this.#passed;
  }
}
