import type { Clock } from '../core/clock.ts';
import { retryAfterMs } from '../core/exchange.ts';
import type { Suite } from '../core/results.ts';
import { Blocked, unavailable } from '../core/undecided.ts';
import { WorkInProgress, WorkQueue } from '../core/work-in-progress.ts';
import type { Target } from '../target/target.ts';
import { headStart } from './head-start.ts';
import { ProbeBarrier } from './probe-barrier.ts';
import { NoAnswer, NoControl } from './sender.ts';
import { lockedOut, undecidedIfThrottled } from './throttled-answer.ts';
import {
  closedConnection,
  isDecided,
  isGranted,
  isRefused,
  refusesWith200,
  type TokenAnswer,
} from './token-answer.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import type { Client, TokenHistory } from './token-history.ts';
import type { Form } from './token-spellings.ts';

/** Milliseconds between valid requests until a client that is locked after wrong ones is accepted again. */
const LOCK_PAUSES_MS = [1000, 2500, 5500];
/** Milliseconds at least before a wrong request is repeated that a rate limit refused. */
const AFTER_LIMIT_MS = 2000;
/** Milliseconds at most that its Retry-After is waited for: each wrong request may meet the limit. */
const MAX_AFTER_LIMIT_MS = 10_000;

/** Where a token request has its credentials: in the form (4.1), in a Basic header, in a JSON body, or in the query of a GET. */
export type CredentialsPlace = 'form' | 'basic' | 'json' | 'get';

/** How a request with a wrong secret is sent. */
export interface WrongSecretRequest {
  /** In the form if left out. */
  readonly by?: CredentialsPlace | undefined;
  /** Whether it was refused before: then it takes the other kind of connection. */
  readonly isRepeated?: boolean | undefined;
  /** The client whose valid request is in progress meanwhile; none if left out. */
  readonly duringValidOf?: Client;
}

/** Identifies a request, to know it when it is sent again. */
function keyOf(form: Form, { by = 'form' }: WrongSecretRequest): string {
  return JSON.stringify([by, form]);
}

/** Counts requests with a wrong secret for one client, including repetitions, and knows which of them were decided. */
class WrongSecretCounter {
  sent = 0;
  /** How many of them came to nothing because of a rate limit or an outage. */
  undecided = 0;
  /** How many were sent since a valid one. */
  inARow = 0;
  /** Their answers by request: those since a valid one, which shows whether the client was locked. */
  readonly open = new Map<string, TokenAnswer>();
  /** Answers that refused the request while the client was not locked, by request. */
  readonly decided = new Map<string, TokenAnswer>();
  /** How many had been sent when each request was sent first, by request. */
  readonly turns = new Map<string, number>();

  /** To be called when a valid one was answered; wrong ones that were sent since its start may have come after it. */
  noteValidAnswered(sentBefore: number): void {
    this.inARow = Math.min(this.inARow, this.sent - sentBefore);
    if (this.inARow > 0) return;
    for (const [body, answer] of this.open) if (isRefused(answer)) this.decided.set(body, answer);
    this.open.clear();
  }
}

/** Work that proves nothing if its token ends during it: some providers end a token when they issue another one. */
export class TokenLock {
  readonly #holds = new WorkInProgress();
  readonly #trials = new WorkQueue();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#holds.add(work());
  }

  /** Runs work that another token request would disturb, after other work of this kind. */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#trials.run(() => this.run(work));
  }

  /** Waits until no such work is in progress. */
  async released(): Promise<void> {
    while (!this.#holds.isEmpty) await this.#holds.settled();
  }
}

/** How many requests with a wrong secret a run may send for one client. */
interface WrongSecretLimits {
  /** In the whole run. */
  readonly total: number;
  /** In a row, since lock-outs count consecutive ones. */
  readonly inARow: number;
}

/** Certify sends every wrong secret. */
const LIMITS: Readonly<Record<Suite, WrongSecretLimits>> = {
  certify: { total: 24, inARow: 2 },
  full: { total: 6, inARow: 2 },
  smoke: { total: 6, inARow: 3 },
};

/** The limits of a suite; the total of the target file takes precedence. */
export function wrongSecretLimits({ probes }: Target, suite: Suite): WrongSecretLimits {
  const limits = LIMITS[suite];
  return { ...limits, total: probes.wrongCredentials ?? limits.total };
}

interface WrongRequestsParts {
  readonly limits: WrongSecretLimits;
  readonly target: Target;
  readonly endpoint: TokenEndpoint;
  readonly history: TokenHistory;
  readonly lock: TokenLock;
  readonly clock: Clock;
  readonly sendValid: (client: Client) => Promise<TokenAnswer>;
  /** Sends one over a connection of its own. */
  readonly sendValidApart: (client: Client) => Promise<TokenAnswer>;
  /** Waits for the second valid request where one is sent. */
  readonly secondIfSeveral: () => Promise<void>;
}

/**
 * Token requests that must be refused: sends wrong secrets and keeps count of them, has valid requests between them, and
 * knows whether a client was locked meanwhile.
 */
export class WrongRequests {
  /** The answer that gave a token for a secret that no client has; null if there was none. */
  anySecretAccepted: TokenAnswer | null = null;
  readonly #parts: WrongRequestsParts;
  readonly #counters: Record<Client, WrongSecretCounter> = {
    first: new WrongSecretCounter(),
    second: new WrongSecretCounter(),
  };
  readonly #secretsInTurn = new WorkQueue();
  /** Whether a wrong secret was answered 429 or 5xx again although a valid one was answered between. */
  #staysUndecided: boolean = false;
  /** Whether the connection of a wrong secret was closed again although a valid one was answered between. */
  #staysClosed: boolean = false;
  /** Refused valid requests after which the same was accepted some seconds later, without other wrong ones between. */
  readonly #locks: TokenAnswer[] = [];
  /** Whether a client stayed locked for as long as Assay waits. */
  #isLockedLastingly: boolean = false;
  /** The barrier of checks that send requests which must be refused; null if none does now. */
  #probing: ProbeBarrier | null = null;

  constructor(parts: WrongRequestsParts) {
    this.#parts = parts;
  }

  /**
   * To be called before each request that must be refused. Sends a valid request first if the client was locked out before, for
   * some seconds.
   */
  async beforeOther(): Promise<void> {
    await this.#parts.secondIfSeveral();
    if (this.wasLocked) this.#expectAccepted(await this.#sendControlRequest('first'));
  }

  /** Requests with a wrong secret that a client may send in the run. */
  get mostSecrets(): number {
    return this.#parts.limits.total;
  }

  /** How many more requests with a wrong secret the target file allows for this client. */
  secretsLeft(client: Client): number {
    return this.#parts.limits.total - this.#counters[client].sent;
  }

  /** Whether valid requests were refused after wrong ones, and accepted again some seconds later. */
  get wasLocked(): boolean {
    return this.#locks.length > 0;
  }

  /** How many requests with a wrong secret for this client came to nothing because of a rate limit or an outage. */
  secretsUndecided(client: Client): number {
    return this.#counters[client].undecided;
  }

  /**
   * Sends a request whose secret is not the client's: one at a time, never more than a few without a valid one between them,
   * and null once `probes.wrongCredentials` is used up, also if it leaves no repetition. One that comes to nothing (429, 5xx,
   * no answer) is repeated once, after a valid one that is answered. During an outage Assay waits with a valid request, never
   * with a wrong one. If its connection is closed again, that is the refusal. One that was refused before, while the client was
   * not locked, is sent again only as a repeated one. Throws NoAnswer, and Undecided if the valid one between them is refused as
   * well.
   */
  sendSecret(client: Client, form: Form, how: WrongSecretRequest = {}): Promise<TokenAnswer | null> {
    const send = (): Promise<TokenAnswer | null> => this.#sendWrong(client, form, how);
    return this.#secretsInTurn.run(async () => {
      const known = this.#counters[client].decided.get(keyOf(form, how));
      if (known !== undefined && how.isRepeated !== true) return known;
      const answer = await send().catch((error: unknown) => {
        if (this.#staysClosed && !(error instanceof NoControl)) return closedConnection(error);
        if (error instanceof NoAnswer && this.secretsLeft(client) > 0) return error;
        throw error;
      });
      const isAnswered = answer === null || (!(answer instanceof NoAnswer) && isDecided(answer));
      if (isAnswered) return answer;
      if (!(answer instanceof NoControl)) this.#counters[client].undecided += 1;
      if (!this.#staysUndecided) return this.#repeatSecret(client, answer, send);
      if (answer instanceof NoAnswer) throw answer;
      return answer;
    });
  }

  /** Sends a wrong secret again that came to nothing, after a valid request that is answered. */
  async #repeatSecret(
    client: Client,
    before: TokenAnswer | NoAnswer,
    send: () => Promise<TokenAnswer | null>,
  ): Promise<TokenAnswer | null> {
    this.#expectAccepted(await this.#sendControlRequest(client));
    // The valid one may have used up what a limit allows.
    if (!(before instanceof NoAnswer) && before.status < 500)
      await this.#parts.clock.sleep(this.#waitAfter(before), null);
    const again = await send().catch(closedConnection);
    this.#staysClosed = again !== null && again.exchange.answer === null;
    this.#staysUndecided = again !== null && !isDecided(again);
    return again;
  }

  /** Milliseconds until a wrong request that a rate limit refused is sent again. */
  #waitAfter({ exchange: { answer } }: TokenAnswer): number {
    const requestedMs = answer === null ? null : retryAfterMs(answer.headers, this.#parts.clock.now());
    return requestedMs === null || requestedMs > MAX_AFTER_LIMIT_MS
      ? AFTER_LIMIT_MS
      : Math.max(AFTER_LIMIT_MS, requestedMs);
  }

  async #sendWrong(client: Client, form: Form, how: WrongSecretRequest): Promise<TokenAnswer | null> {
    const wrong = this.#counters[client];
    if (this.secretsLeft(client) <= 0) return null;
    // Before this one is counted: a valid request that is sent meanwhile comes before it.
    await this.#parts.secondIfSeveral();
    // After a lock-out, a valid request of the first client precedes each wrong one anyway.
    const most = this.wasLocked && client === 'second' ? 1 : this.#parts.limits.inARow;
    if (wrong.inARow >= most) this.#expectAccepted(await this.#sendControlRequest(client));
    wrong.sent += 1;
    wrong.inARow += 1;
    const key = keyOf(form, how);
    const turn = wrong.turns.get(key) ?? wrong.sent;
    wrong.turns.set(key, turn);
    const answer = await this.#sendOnce(form, how, turn);
    wrong.open.set(key, answer);
    return answer;
  }

  async #sendOnce(form: Form, how: WrongSecretRequest, turn: number): Promise<TokenAnswer> {
    const { endpoint } = this.#parts;
    const once = { maxRetries: 0 };
    const { by, isRepeated, duringValidOf } = how;
    if (duringValidOf !== undefined) {
      let valid: Promise<unknown> | null = null;
      const before = async (): Promise<void> => {
        valid = this.#parts.sendValidApart(duringValidOf).catch(() => null);
        await headStart();
      };
      return endpoint.ask(form, once, { turn, isRepeated, before }).finally(() => valid);
    }
    if (by === 'basic') return endpoint.askWithBasic(form, once);
    if (by === 'get') return endpoint.askByGet(form, once);
    return by === 'json' ? endpoint.askAsJson(form, once) : endpoint.ask(form, once, { turn, isRepeated });
  }

  /**
   * To be called before a check sends requests that must be refused. After them it calls `control`, which waits
   * for the other checks that send such requests and for one valid request after all of them, or `leave`, which
   * does not wait. `control` throws NoAnswer, and Undecided if a valid request was refused as well.
   */
  enterProbes(): { readonly control: () => Promise<void>; readonly leave: () => void } {
    this.#probing ??= new ProbeBarrier();
    const barrier = this.#probing;
    const locksBefore = this.#locks.length;
    barrier.enter();
    const leave = (awaits: boolean): void => {
      if (barrier.leave(awaits, () => this.#sendControlRequest('first'))) this.#probing = null;
    };
    return {
      leave: () => leave(false),
      control: async () => {
        leave(true);
        this.#expectAccepted(await barrier.control);
        const lock = this.#locks[locksBefore];
        if (lock !== undefined) throw lockedOut(lock);
      },
    };
  }

  /**
   * A valid request that shows whether the client is locked. It waits for work that it would disturb if it ended earlier tokens. Only
   * such requests count as the valid ones between wrong secrets: when others are sent depends on how fast the provider answers.
   */
  async #sendControlRequest(client: Client): Promise<TokenAnswer> {
    if (client === 'first') await this.#parts.lock.released();
    const wrong = this.#counters[client];
    const wrongBefore = wrong.sent;
    const answer = await this.#askUntilUnlocked(client).catch((error: unknown) => {
      throw error instanceof NoAnswer ? new NoControl(error.exchange) : error;
    });
    if (this.#isGranted(answer)) wrong.noteValidAnswered(wrongBefore);
    return answer;
  }

  /** A valid request; if the client is locked, it is sent again after some seconds. */
  async #askUntilUnlocked(client: Client): Promise<TokenAnswer> {
    const isKnown = this.#parts.history.answersToValidRequests(client).some(isGranted);
    const refused = await this.#parts.sendValid(client);
    if (!isRefused(refused) || !isKnown) return refused;
    // The lock-out also explains why the wrong ones before it were refused. It may be an address that is locked.
    for (const { open } of Object.values(this.#counters)) open.clear();
    // If it is accepted at once, the refusal is intermittent, or comes from one of several servers.
    if (this.#isGranted(await this.#parts.sendValid(client))) return refused;
    for (const pauseMs of this.#isLockedLastingly ? [] : LOCK_PAUSES_MS) {
      await this.#parts.clock.sleep(pauseMs, null);
      const again = await this.#parts.sendValid(client);
      if (!this.#isGranted(again)) continue;
      this.#locks.push(refused);
      return again;
    }
    this.#isLockedLastingly = true;
    return refused;
  }

  /** Whether a valid request was granted: with a token, if earlier ones were. */
  #isGranted(answer: TokenAnswer): boolean {
    const gaveTokens = this.#parts.history.answersToValidRequests().some(({ token }) => token !== null);
    return isGranted(answer) && (!gaveTokens || answer.token !== null || answer.tokenElsewhere !== null);
  }

  /** Throws Undecided if a valid request is refused after wrong ones; Blocked if others were refused before these. */
  #expectAccepted(answer: TokenAnswer): void {
    if (this.#isGranted(answer)) return;
    const throttled = undecidedIfThrottled('the token endpoint', answer.exchange, this.#parts.target.limits);
    if (throttled !== null) throw throttled;
    if (answer.status === 200 && !refusesWith200(answer))
      throw unavailable(answer.status, 'a valid token request was answered 200 without a token');
    const isLockPossible = this.#parts.history.refusedBeforeWrong.length < 2;
    if (isLockPossible) throw lockedOut(answer);
    throw new Blocked('token/issued', `a valid token request is answered ${answer.status}`);
  }
}
