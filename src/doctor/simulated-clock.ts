import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';

/**
 * A clock that does not make anybody wait: once it is let go, a wait is over at once and the time has passed all the
 * same. Until then whoever waits is held back, so that time stands still for the others.
 */
export class HurriedClock implements Clock {
  readonly #letGo: Promise<void>;
  #release: () => void = () => undefined;
  #passed = 0;

  constructor() {
    this.#letGo = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  now(): number {
    return SYSTEM_CLOCK.now() + this.#passed;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.#letGo;
    this.#passed += Math.max(0, milliseconds);
  }

  letGo(): void {
    this.#release();
  }

  /** Milliseconds that were waited through. */
  get passed(): number {
    return this.#passed;
  }
}
