/** Bytes from which on a body counts as large. */
export const LARGE_BODY_BYTES = 2_097_152;

/**
 * Lets only one body at a time be large: from when it exceeds LARGE_BODY_BYTES until it is recorded. Several requests in
 * flight, each answered with a body as large as the limit allows, would otherwise take several times the memory of one.
 */
export class LargeBodyLock {
  readonly #waiting: Waiting[] = [];
  #taken: boolean = false;

  /**
   * Calls `granted`, at once or later, when the caller may continue; or `refused` because the body before timed out.
   *
   * @returns Releases the lock, or stops waiting for it; further calls have no effect.
   */
  take(granted: () => void, refused: () => void): (gaveUp?: boolean) => void {
    let state: 'waiting' | 'granted' | 'over' = 'waiting';
    const waiting: Waiting = {
      grant: () => {
        state = 'granted';
        this.#taken = true;
        granted();
      },
      refuse: () => {
        state = 'over';
        refused();
      },
    };
    if (this.#taken) this.#waiting.push(waiting);
    else waiting.grant();
    return (gaveUp = false) => {
      const was = state;
      state = 'over';
      if (was === 'waiting') this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      // Each of them would run into the same timeout, one after the other.
      if (was === 'granted' && gaveUp) for (const { refuse } of this.#waiting.splice(0)) refuse();
      if (was === 'granted') this.#next();
    };
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next.grant();
  }
}

interface Waiting {
  grant(): void;
  refuse(): void;
}
