/** Bodies above this many bytes are large. */
export const LARGE_BODY_BYTES = 2_097_152;

/**
 * Allows only one large body at a time: from when it exceeds LARGE_BODY_BYTES until it is recorded. Otherwise
 * parallel requests with answers of the maximum size would multiply the memory.
 */
export class LargeBodyLock {
  /** The holder, and those that wait for it. */
  readonly #queue: Waiting[] = [];

  /**
   * Calls `grant`, now or later, when the caller may continue; or `refuse` if the previous body timed out.
   *
   * @returns a function that releases the lock or stops waiting for it; further calls have no effect
   */
  acquire(grant: () => void, refuse: () => void): (timedOut?: boolean) => void {
    const waiting = { grant, refuse };
    this.#queue.push(waiting);
    if (this.#queue[0] === waiting) grant();
    return (timedOut = false) => {
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      if (place !== 0) return;
      // Each waiting body would time out in the same way, one after the other.
      if (timedOut) for (const next of this.#queue.splice(0)) next.refuse();
      else this.#queue[0]?.grant();
    };
  }
}

interface Waiting {
  readonly grant: () => void;
  readonly refuse: () => void;
}
