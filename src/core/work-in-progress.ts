/** Runs work one after another, in the order in which it is given. Work that fails does not stop later work. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Waits for the work that was given so far. Never rejects. */
  idle(): Promise<unknown> {
    return this.#last;
  }
}

/** Knows which of the work that it is given is not over yet. */
export class WorkInProgress {
  readonly #pending = new Set<Promise<unknown>>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Returns the same work. */
  add<Result>(work: Promise<Result>): Promise<Result> {
    this.#pending.add(work);
    const remove = (): void => void this.#pending.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Waits for the work that is in progress now. Never rejects. */
  settled(): Promise<unknown> {
    return Promise.allSettled(this.#pending);
  }
}
