import type { TokenAnswer } from './token-answer.ts';

/** Work that proves nothing if its token is ended meanwhile, as some providers do when they issue another one. */
export class TokenLock {
  readonly #holds = new Set<Promise<unknown>>();
  /** Fulfilled when the trials that were begun so far are over. */
  #trials: Promise<unknown> = Promise.resolve();

  /** Runs such work. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const held = work();
    this.#holds.add(held);
    const release = (): void => void this.#holds.delete(held);
    held.then(release, release);
    return held;
  }

  /** Runs work that another token request would disturb, after other work of this kind. */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    const trial = this.#trials.then(() => this.run(work));
    this.#trials = trial.catch(() => undefined);
    return trial;
  }

  /** Waits until no such work is under way. */
  async released(): Promise<void> {
    while (this.#holds.size > 0) await Promise.allSettled(this.#holds);
  }
}

/** The state of a client: requests that are sent once, and work that others wait for. */
export class TokenClientState {
  first: Promise<TokenAnswer> | null = null;
  second: Promise<TokenAnswer> | null = null;
  other: Promise<TokenAnswer> | null = null;
  current: TokenAnswer | null = null;
  renewal: Promise<string> | null = null;
  /** Valid requests so far that had an unusual spelling. */
  respelled = 0;
}
