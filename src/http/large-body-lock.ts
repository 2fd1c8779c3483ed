/** Bytes from which on a body counts as large. */
export const LARGE_BODY_BYTES = 2_097_152;

/**
 * Lets one body at a time be large, in the order of asking: from when it has grown so until it is recorded and has
 * been read. Several requests under way, each answered with a body as large as the limit allows, would otherwise
 * take several times the memory of one.
 */
export class LargeBodyLock {
  readonly #waiting: Waiting[] = [];
  #taken: boolean = false;

  /**
   * Calls back, at once or later, when it is the caller's turn; or that its turn will not come, because the one
   * before was given up for never ending.
   *
   * @returns Ends the turn, or the waiting for it; once is enough, more do no harm.
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
      // One after another they would take as long as all of them together.
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
