/** Bytes from which on a body counts as large. */
export const LARGE_BODY_BYTES = 8_388_608;

/**
 * Lets one body at a time grow large, in the order of asking. Several requests under way, each answered with
 * a body as large as the limit allows, would otherwise take several times the memory of one.
 */
export class LargeBodies {
  readonly #waiting: (() => void)[] = [];
  #taken: boolean = false;

  /**
   * Calls back, at once or later, when it is the caller's turn.
   *
   * @returns Ends the turn, or the waiting for it; once is enough, more do no harm.
   */
  take(granted: () => void): () => void {
    let state: 'waiting' | 'granted' | 'over' = 'waiting';
    const grant = (): void => {
      state = 'granted';
      this.#taken = true;
      granted();
    };
    if (this.#taken) this.#waiting.push(grant);
    else grant();
    return () => {
      const was = state;
      state = 'over';
      if (was === 'waiting') this.#waiting.splice(this.#waiting.indexOf(grant), 1);
      if (was === 'granted') this.#next();
    };
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
