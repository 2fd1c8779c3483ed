import type { Suite } from '../core/results.ts';
import type { Target } from '../target/target.ts';
import type { TokenAnswer } from './token-answer.ts';
import type { Client } from './token-history.ts';

/** Work that proves nothing if its token is ended meanwhile, as some providers do when they issue another one. */
export class TokenHolds {
  readonly #holds = new Set<Promise<unknown>>();
  /** Fulfilled when the trials that were begun so far are over. */
  #trials: Promise<unknown> = Promise.resolve();

  /** Does such work. */
  holding<Result>(work: () => Promise<Result>): Promise<Result> {
    const held = work();
    this.#holds.add(held);
    const release = (): void => void this.#holds.delete(held);
    held.then(release, release);
    return held;
  }

  /** The same for work that another token request disturbs: after other work of this kind. */
  trying<Result>(work: () => Promise<Result>): Promise<Result> {
    const trial = this.#trials.then(() => this.holding(work));
    this.#trials = trial.catch(() => undefined);
    return trial;
  }

  /** Waits until no such work is under way. */
  async released(): Promise<void> {
    while (this.#holds.size > 0) await Promise.allSettled(this.#holds);
  }
}

/** Counts requests with a wrong secret for one client, including repetitions. */
class WrongSecretCounter {
  sent = 0;
  /** How many of them repeated a failed one. */
  repeated = 0;
  #inARow = 0;

  /** How many were sent since a right one. */
  get inARow(): number {
    return this.#inARow;
  }

  count(requests: number): void {
    this.sent += requests;
    this.#inARow += requests;
  }

  /** To be called when a right one was answered; wrong ones that were sent since its start may have come after it. */
  answeredRight(sentBefore: number): void {
    this.#inARow = Math.min(this.#inARow, this.sent - sentBefore);
  }
}

/** How many requests with a wrong secret a run may send for one client. */
export interface WrongSecretLimits {
  /** In the whole run. */
  readonly total: number;
  /** In a row, since lock-outs count consecutive ones. */
  readonly inARow: number;
}

/** Of certify, which sends every wrong secret. */
const CERTIFY: WrongSecretLimits = { total: 24, inARow: 2 };

const OTHERS: WrongSecretLimits = { total: 6, inARow: 3 };

/** The limits of a suite; the total of the target file takes precedence. */
export function wrongSecretLimits({ probes }: Target, suite: Suite): WrongSecretLimits {
  const limits = suite === 'certify' ? CERTIFY : OTHERS;
  return { ...limits, total: probes.wrongCredentials ?? limits.total };
}

/**
 * The barrier of checks that send requests which must be refused in parallel, and the right request after all of them.
 */
export class ProbeBarrier {
  #checks: number = 0;
  #isAwaited: boolean = false;
  #resolveControl: (control: Promise<TokenAnswer>) => void = () => undefined;
  readonly control = new Promise<TokenAnswer>((resolve) => {
    this.#resolveControl = resolve;
  });

  enter(): void {
    this.#checks++;
  }

  /** True for the last check. It sends the right request if any check waits for it. */
  leave(awaits: boolean, ask: () => Promise<TokenAnswer>): boolean {
    this.#checks--;
    this.#isAwaited ||= awaits;
    if (this.#checks > 0) return false;
    if (this.#isAwaited) this.#resolveControl(ask());
    return true;
  }
}

/** The state of a client: requests that are sent once, and work that others wait for. */
export class TokenClientState {
  readonly wrong: Record<Client, WrongSecretCounter> = {
    own: new WrongSecretCounter(),
    other: new WrongSecretCounter(),
  };
  first: Promise<TokenAnswer> | null = null;
  second: Promise<TokenAnswer> | null = null;
  other: Promise<TokenAnswer> | null = null;
  current: TokenAnswer | null = null;
  renewal: Promise<string> | null = null;
  /** Right requests so far that had an unusual spelling. */
  respelled = 0;
  probes: Promise<unknown> = Promise.resolve();
  /** Whether a wrong secret was answered 429 or 5xx again although a right one was answered between. */
  wrongStaysUndecided = false;
  /** The barrier of checks that send requests which must be refused; null if none does now. */
  probing: ProbeBarrier | null = null;
}
