import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';
import { Memo } from '../core/memo.ts';
import type { Suite } from '../core/results.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import { alteredSecrets } from '../target/altered-secrets.ts';
import { secretsOf, type Target } from '../target/target.ts';
import { RefusalControl } from './refusal-control.ts';
import type { SecretRegistry } from './secret-registry.ts';
import { NoAnswer, OFFLINE, type Sender } from './sender.ts';
import { lockedOut, undecidedIfThrottled } from './throttled-answer.ts';
import { isDecided, isGranted, isRefused, isWebPage, noToken, type TokenAnswer } from './token-answer.ts';
import {
  ProbeBarrier,
  TokenClientState,
  TokenHolds,
  type WrongSecretLimits,
  wrongSecretLimits,
} from './token-client-state.ts';
import { TokenEndpoint } from './token-endpoint.ts';
import { type Client, SAFE_PART, TokenHistory, VALIDITY } from './token-history.ts';
import { type Form, spellingOfTurn, USUAL_ON_NEW_CONNECTION, USUAL_SPELLING } from './token-spellings.ts';

/** First requests at most that a gateway answers 502 or 504, as while a provider starts, and milliseconds between them. */
const START_ATTEMPTS = 3;
const START_PAUSE_MS = 1500;
/** Milliseconds between right requests until a client that is locked after wrong ones is accepted again. */
const LOCK_PAUSES_MS = [1000, 2500, 5500];
/** Milliseconds before a wrong request is repeated that a limit of requests refused. */
const AFTER_LIMIT_MS = 2000;

interface TokenClientParts {
  readonly target: Target;
  /** Decides how many wrong secrets are sent, and whether right requests are spelled in different ways. */
  readonly options?: { readonly suite: Suite; readonly seed: number };
  readonly sender: Sender;
  readonly secrets: SecretRegistry;
  /** The system clock if left out. */
  readonly clock?: Clock;
}

/** The provider's token endpoint (4.1): asks, remembers, renews, and keeps count of wrong secrets. */
export class TokenClient {
  /** Values that are computed once for this endpoint. */
  readonly memo = new Memo();
  readonly target: Target;
  readonly #parts: TokenClientParts;
  readonly #clock: Clock;
  readonly #secrets: SecretRegistry;
  readonly #state = new TokenClientState();
  readonly #limits: WrongSecretLimits;
  /** The answers of the run and what became of their tokens. */
  readonly history: TokenHistory;
  /** Sends requests of every form. */
  readonly endpoint: TokenEndpoint;
  /** Work that needs its token to stay in force. */
  readonly holds = new TokenHolds();
  readonly #refusalControl: RefusalControl;

  constructor(parts: TokenClientParts, earlier?: TokenClient) {
    this.target = parts.target;
    this.#parts = parts;
    this.#clock = parts.clock ?? SYSTEM_CLOCK;
    this.#secrets = parts.secrets;
    this.history = earlier?.history.copy() ?? new TokenHistory(parts.target);
    this.endpoint = new TokenEndpoint({
      ...parts,
      history: this.history,
      beforeOther: () => this.#beforeOther(),
    });
    this.#refusalControl = new RefusalControl(this.endpoint, this.history);
    this.#limits = wrongSecretLimits(parts.target, parts.options?.suite ?? 'full');
    if (earlier !== undefined) {
      const { first, second, other, current } = earlier.#state;
      Object.assign(this.#state, { first, second, other, current });
      return;
    }
    for (const { secret, label, clientId } of secretsOf(parts.target)) {
      this.#secrets.add(secret, label, `$${label.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`);
      if (clientId !== null) this.#secrets.redactor.addBasic(clientId, secret, `${label}-basic`);
    }
    if (parts.options?.suite !== 'smoke') this.knowAlteredSecrets();
  }

  /**
   * Has altered copies of the secrets removed from all outputs. Known from the start of a run that may send them: a provider may
   * repeat them to a worker that never sent them.
   */
  knowAlteredSecrets(): void {
    const { credentials, otherCredentials } = this.target;
    for (const { secret, label, shell } of alteredSecrets(credentials.clientSecret))
      this.#secrets.add(secret, label, shell);
    if (otherCredentials === null) return;
    for (const { secret, label, shell } of alteredSecrets(otherCredentials.clientSecret))
      this.#secrets.add(secret, `other-${label}`, shell.replaceAll('CLIENT_SECRET', 'OTHER_CLIENT_SECRET'));
  }

  /** A copy with the answers so far that sends nothing and does not change this client. */
  offline(): TokenClient {
    return new TokenClient({ ...this.#parts, sender: OFFLINE }, this);
  }

  /** The run's first right request: asked once, and again after some time if a gateway has no provider. Throws NoAnswer. */
  first(): Promise<TokenAnswer> {
    this.#state.first ??= this.#askUntilStarted();
    return this.#state.first;
  }

  async #askUntilStarted(): Promise<TokenAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#askRight('own');
      if (attempt === START_ATTEMPTS || ![502, 504].includes(answer.status)) return answer;
      await this.#clock.sleep(START_PAUSE_MS, null);
    }
  }

  /**
   * The first right answer of status 200. Throws NoAnswer; Blocked if the provider issues no token;
   * Undecided if it is throttled.
   */
  async issued(): Promise<TokenAnswer> {
    const first = await this.first();
    const answer = [first, ...this.history.rightAnswers()].find(
      (one) => one.status === 200 && !isWebPage(one),
    );
    if (answer === undefined) throw noToken(first, this.target.limits);
    return answer;
  }

  /**
   * A second right request, after the first: shows whether a token is handed out again, and what holds not only once.
   * Throws NoAnswer.
   */
  second(): Promise<TokenAnswer> {
    this.#state.second ??= this.first().then(async () => {
      const second = await this.#askRight('own');
      // Now nothing but right requests was sent, so that a refusal cannot come from a lock-out.
      return isRefused(second) ? this.#askRight('own') : second;
    });
    return this.#state.second;
  }

  /** Waits for the second right request where one is sent: a refusal after others might come from a lock-out. */
  async #secondIfSeveral(): Promise<void> {
    const { suite = 'smoke' } = this.#parts.options ?? {};
    if (suite !== 'smoke') await this.second().catch(() => undefined);
  }

  /** Also has a right request between all others as soon as a lock-out was met that ends by itself. */
  async #beforeOther(): Promise<void> {
    await this.#secondIfSeveral();
    if (this.wasLocked) this.#expectRight(await this.#askBetweenWrong('own'));
  }

  /** A further right request, now. Throws NoAnswer, and Undecided if there is no such client. */
  another(client: Client = 'own'): Promise<TokenAnswer> {
    return this.#askRight(client);
  }

  /** A further right request whose token is given to the caller only, which makes the first use of it. Throws NoAnswer. */
  unshared(): Promise<TokenAnswer> {
    return this.#askRight('own', { shared: false });
  }

  /** The same in the usual spelling, on a new connection if wanted. Throws NoAnswer. */
  unsharedInUsualSpelling({ opensConnection = false } = {}): Promise<TokenAnswer> {
    return this.#askRight('own', { shared: false, isUsual: true, opensConnection });
  }

  /** The second provider's first right request. Throws NoAnswer, and Undecided if none is configured. */
  other(): Promise<TokenAnswer> {
    this.#state.other ??= this.#askRight('other');
    return this.#state.other;
  }

  /**
   * A token that is accepted now as far as its validity tells: the newest one, renewed in the last tenth of its
   * life. Throws NoAnswer; Blocked if the provider gives none; Undecided if it is throttled.
   */
  async bearer(): Promise<string> {
    const newest = this.#state.current ?? (await this.first());
    if (newest.token === null) throw noToken(newest, this.target.limits);
    return this.#isStale(newest) ? this.renew(newest.token) : newest.token;
  }

  /** That token as long as its validity lasts and no call was refused with it; otherwise as {@link bearer} gives one. */
  async keeping(token: string): Promise<string> {
    const answer = this.history.wasRefused(token) ? undefined : this.history.answerOf(token);
    return answer === undefined || this.#isStale(answer) ? this.bearer() : token;
  }

  /** A token other than the one that was used: the newest, or a new one if that was the newest. */
  async renew(used: string): Promise<string> {
    this.history.noteRefused(used);
    if (
      this.#state.current?.token != null &&
      this.#state.current.token !== used &&
      !this.#isStale(this.#state.current)
    )
      return this.#state.current.token;
    this.#state.renewal ??= this.#askRight('own')
      .then((answer) => {
        if (answer.token === null) throw noToken(answer, this.target.limits);
        return answer.token;
      })
      .finally(() => {
        this.#state.renewal = null;
      });
    return this.#state.renewal;
  }

  /** Requests with a wrong secret that a client may send in the run. */
  get mostWrongSecrets(): number {
    return this.#limits.total;
  }

  /** How many more requests with a wrong secret the target file allows for this client. */
  wrongSecretsLeft(client: Client): number {
    return this.#limits.total - this.#state.wrong[client].sent;
  }

  /** Whether right requests were refused after wrong ones, and accepted again some seconds later. */
  get wasLocked(): boolean {
    return this.#state.locks.length > 0;
  }

  /** How many requests with a wrong secret for this client repeated a failed one. */
  wrongSecretsRepeated(client: Client): number {
    return this.#state.wrong[client].repeated;
  }

  /**
   * Sends a request whose secret is not the client's: one at a time, never more than a few without a right one
   * between them, and null once `probes.wrongCredentials` is used up, also if it leaves no repetition. One that comes
   * to nothing (429, 5xx, no answer) is repeated once, after a right one that is answered: what waits for the end of an
   * outage is a right one. One that was refused before, while the client was not locked, is not sent again. Throws
   * NoAnswer, and Undecided if the right one between them is refused as well.
   */
  wrongSecret(client: Client, form: Form): Promise<TokenAnswer | null> {
    const turn = this.#state.probes.then(async () => {
      const known = this.#state.wrong[client].refusalOf(JSON.stringify(form));
      if (known !== null) return known;
      const answer = await this.#sendWrong(client, form).catch((error: unknown) => {
        if (error instanceof NoAnswer && this.wrongSecretsLeft(client) > 0) return error;
        throw error;
      });
      const isAnswered = answer === null || (!(answer instanceof NoAnswer) && isDecided(answer));
      if (isAnswered) return answer;
      this.#state.wrong[client].repeated += 1;
      if (this.#state.wrongStaysUndecided) return answer;
      this.#expectRight(await this.#askBetweenWrong(client));
      // The right one may have used up what a limit allows.
      if (!(answer instanceof NoAnswer) && answer.status < 500) await this.#clock.sleep(AFTER_LIMIT_MS, null);
      const again = await this.#sendWrong(client, form);
      this.#state.wrongStaysUndecided = again !== null && !isDecided(again);
      return again;
    });
    const handedOn = turn.then((answer) => {
      if (answer instanceof NoAnswer) throw answer;
      return answer;
    });
    this.#state.probes = handedOn.catch(() => undefined);
    return handedOn;
  }

  async #sendWrong(client: Client, form: Form): Promise<TokenAnswer | null> {
    const wrong = this.#state.wrong[client];
    if (this.wrongSecretsLeft(client) <= 0) return null;
    // Before this one is counted: a right request that is sent meanwhile comes before it.
    await this.#secondIfSeveral();
    const most = this.wasLocked ? 1 : this.#limits.inARow;
    if (wrong.inARow >= most) this.#expectRight(await this.#askBetweenWrong(client));
    wrong.count(1);
    const answer = await this.endpoint.ask(form, { repetitions: 0 });
    wrong.keep(JSON.stringify(form), answer);
    return answer;
  }

  /**
   * To be called before a check sends requests that must be refused. After them it calls `control`, which waits
   * for the other checks that send such requests and for one right request after all of them, or `leave`, which
   * does not wait. `control` throws NoAnswer, and Undecided if a right request was refused as well.
   */
  enterProbes(): { readonly control: () => Promise<void>; readonly leave: () => void } {
    this.#state.probing ??= new ProbeBarrier();
    const enterProbes = this.#state.probing;
    const { locks } = this.#state;
    const locksBefore = locks.length;
    enterProbes.enter();
    const leave = (awaits: boolean): void => {
      if (enterProbes.leave(awaits, () => this.#askBetweenWrong('own'))) this.#state.probing = null;
    };
    return {
      leave: () => leave(false),
      control: async () => {
        leave(true);
        this.#expectRight(await enterProbes.control);
        const lock = locks[locksBefore];
        if (lock !== undefined) throw lockedOut(lock);
      },
    };
  }

  /** The label of a token in evidence, `token-1` for the first one. */
  labelOf(token: string): string {
    return this.#secrets.addToken(token);
  }

  /**
   * A right request that shows whether the client is locked. It waits for work that it would disturb if it ended earlier tokens. Only
   * such requests count as the right ones between wrong secrets: when others are sent depends on how fast the provider answers.
   */
  async #askBetweenWrong(client: Client): Promise<TokenAnswer> {
    if (client === 'own') await this.holds.released();
    const wrong = this.#state.wrong[client];
    const wrongBefore = wrong.sent;
    const answer = await this.#askUntilUnlocked(client);
    if (isGranted(answer)) wrong.answeredRight(wrongBefore);
    return answer;
  }

  /** A right request; if the client is locked, it is sent again after some seconds. */
  async #askUntilUnlocked(client: Client): Promise<TokenAnswer> {
    const { locks, wrong } = this.#state;
    const isKnown = this.history.rightAnswers(client).some(isGranted);
    const refused = await this.#askRight(client);
    if (!isRefused(refused) || !isKnown) return refused;
    wrong[client].metLock();
    // Accepted at once, it is refused now and then, or by one of several servers.
    if (isGranted(await this.#askRight(client))) return refused;
    for (const pauseMs of this.#state.isLockedLastingly ? [] : LOCK_PAUSES_MS) {
      await this.#clock.sleep(pauseMs, null);
      const again = await this.#askRight(client);
      if (!isGranted(again)) continue;
      locks.push(refused);
      return again;
    }
    this.#state.isLockedLastingly = true;
    return refused;
  }

  async #askRight(
    client: Client,
    { shared = true, isUsual = false, opensConnection = false } = {},
  ): Promise<TokenAnswer> {
    const credentials = client === 'own' ? this.target.credentials : this.target.otherCredentials;
    if (credentials === null) throw new Undecided({ kind: 'unconfigured', key: 'otherCredentials' });
    const before = this.history.countsNow();
    const form = this.endpoint.rightForm(credentials);
    const answer = await (isUsual
      ? this.endpoint.sendRight(form, opensConnection ? USUAL_ON_NEW_CONNECTION : USUAL_SPELLING)
      : this.#askInAnySpelling(client, form));
    this.history.add(client, answer, before);
    if (client === 'own') await this.#refusalControl.prove(answer);
    if (shared && client === 'own' && (answer.token !== null || this.#state.current === null))
      this.#state.current = answer;
    return answer;
  }

  /** Sends a right request: the first as usual, each later one in another spelling, and again as usual if it is refused. */
  async #askInAnySpelling(client: Client, form: Form): Promise<TokenAnswer> {
    const { options } = this.#parts;
    const { refusedSpellings } = this.history;
    const isUsual = this.history.rightAnswers().length === 0 || refusedSpellings.length > 0;
    // The kept connection stays that of the run's own client.
    if (client === 'other') return this.endpoint.sendRight(form, USUAL_ON_NEW_CONNECTION);
    if (isUsual || options === undefined || options.suite === 'smoke') return this.endpoint.sendRight(form);
    const spelling = spellingOfTurn((options.seed >>> 0) + this.#state.respelled++);
    const answer = await this.endpoint.sendRight(form, spelling);
    if (answer.status < 400 || !isDecided(answer)) return answer;
    const usual = await this.endpoint.sendRight(form);
    if (usual.status === 200) refusedSpellings.push({ spelling, refused: answer, accepted: usual });
    return usual;
  }

  /** Throws Undecided if a right request is refused after wrong ones; Blocked if others were refused before these. */
  #expectRight(answer: TokenAnswer): void {
    if (isGranted(answer)) return;
    const throttled = undecidedIfThrottled('the token endpoint', answer.exchange, this.target.limits);
    if (throttled !== null) throw throttled;
    const isLockPossible = this.history.refusedBeforeWrong.length < 2;
    if (isLockPossible) throw lockedOut(answer);
    throw new Blocked('token/issued', `a right token request is answered ${answer.status}`);
  }

  #isStale(answer: TokenAnswer): boolean {
    const age = ((this.#clock.now() - answer.askedAt) / 1000) * this.target.expiry.clockRate;
    const validity = Math.min(answer.expiresIn ?? VALIDITY, VALIDITY);
    return validity > 0 && age > validity * SAFE_PART;
  }
}
