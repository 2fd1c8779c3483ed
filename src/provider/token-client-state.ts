import type { Suite } from '../core/results.ts';
import type { Target } from '../target/target.ts';
import { isRefused, type TokenAnswer } from './token-answer.ts';
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

/** Counts requests with a wrong secret for one client, including repetitions, and knows which of them were decided. */
class WrongSecretCounter {
  sent = 0;
  /** How many of them came to nothing, because of a limit of requests, an outage or a lock-out. */
  repeated = 0;
  #inARow = 0;
  /** Their answers by the body of the request: those since a right one, and those that a right one followed. */
  readonly #open = new Map<string, TokenAnswer>();
  readonly #decided = new Map<string, TokenAnswer>();

  /** How many were sent since a right one. */
  get inARow(): number {
    return this.#inARow;
  }

  count(requests: number): void {
    this.sent += requests;
    this.#inARow += requests;
  }

  /** Keeps the answer to a request with that body until a right one shows whether the client was locked. */
  keep(body: string, answer: TokenAnswer): void {
    this.#open.set(body, answer);
  }

  /** The answer that refused such a request while the client was not locked. */
  refusalOf(body: string): TokenAnswer | null {
    return this.#decided.get(body) ?? null;
  }

  /** To be called when a right one was answered; wrong ones that were sent since its start may have come after it. */
  answeredRight(sentBefore: number): void {
    this.#inARow = Math.min(this.#inARow, this.sent - sentBefore);
    if (this.#inARow > 0) return;
    for (const [body, answer] of this.#open) if (isRefused(answer)) this.#decided.set(body, answer);
    this.#open.clear();
  }

  /** To be called when a right one was refused: the lock-out also explains why the wrong ones before it were. */
  metLock(): void {
    this.repeated += this.#open.size;
    this.#open.clear();
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

const FULL: WrongSecretLimits = { total: 6, inARow: 2 };

const SMOKE: WrongSecretLimits = { total: 6, inARow: 3 };

/** The limits of a suite; the total of the target file takes precedence. */
export function wrongSecretLimits({ probes }: Target, suite: Suite): WrongSecretLimits {
  const limits = { certify: CERTIFY, full: FULL, smoke: SMOKE }[suite];
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
  wrongStaysUndecided: boolean = false;
  /** Refused right requests after which the same was accepted some seconds later, without other wrong ones between. */
  readonly locks: TokenAnswer[] = [];
  /** Whether a client stayed locked for as long as Assay waits. */
  isLockedLastingly: boolean = false;
  /** The barrier of checks that send requests which must be refused; null if none does now. */
  probing: ProbeBarrier | null = null;
}
