/** Bodies above this many bytes are large. */
export const LARGE_BODY_BYTES = 2_097_152;

/**
 * Allows only one large body at a time: from when it exceeds LARGE_BODY_BYTES until it is recorded. Otherwise
 * parallel requests with answers of the maximum size would multiply the memory.
 */
export class LargeBodyLock {
  readonly #waiting: Waiting[] = [];
  #isHeld: boolean = false;

  /**
   * Calls `granted`, now or later, when the caller may continue; or `refused` if the previous body timed out.
   *
   * @returns a function that releases the lock or stops waiting for it; further calls have no effect
   */
  acquire(granted: () => void, refused: () => void): (timedOut?: boolean) => void {
    let state: 'waiting' | 'granted' | 'over' = 'waiting';
    const waiting: Waiting = {
      grant: () => {
        state = 'granted';
        this.#isHeld = true;
        granted();
      },
      refuse: () => {
        state = 'over';
        refused();
      },
    };
    if (this.#isHeld) this.#waiting.push(waiting);
    else waiting.grant();
    return (timedOut = false) => {
      const previous = state;
      state = 'over';
      if (previous === 'waiting') this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      // Each waiting body would time out in the same way, one after the other.
      if (previous === 'granted' && timedOut) for (const { refuse } of this.#waiting.splice(0)) refuse();
      if (previous === 'granted') this.#next();
    };
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isHeld = false;
    else next.grant();
  }
}

interface Waiting {
  grant(): void;
  refuse(): void;
}
