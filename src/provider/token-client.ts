import type { Clock } from '../core/clock.ts';
import { Memo } from '../core/memo.ts';
import type { Suite } from '../core/results.ts';
import { Undecided } from '../core/undecided.ts';
import { secretsOf, type Target } from '../target/target.ts';
import type { SecretRegistry } from './secret-registry.ts';
import { OFFLINE, type Sender } from './sender.ts';
import { isOfGateway, lockedOut } from './throttled-answer.ts';
import {
  isDecided,
  isGranted,
  isRefused,
  isWebPage,
  noToken,
  refusesWith200,
  type TokenAnswer,
} from './token-answer.ts';
import { TokenEndpoint } from './token-endpoint.ts';
import { type Client, isCertainlyValid, TokenHistory, VALIDITY_SECONDS } from './token-history.ts';
import { type Form, spellingOfTurn, type TokenSpelling, USUAL_ON_NEW_CONNECTION } from './token-spellings.ts';
import { TokenLock, WrongRequests, wrongSecretLimits } from './wrong-requests.ts';
import { alteredSecrets } from './wrong-secrets.ts';

/** Attempts of the first request while a gateway answers 502, 503 or 504, as during a start; pause in milliseconds. */
const START_ATTEMPTS = 3;
const START_PAUSE_MS = 1500;
/** Valid requests over new connections that show whether every server refuses them. */
const CONTROLS = 6;

interface TokenClientParts {
  readonly target: Target;
  /** Decides how many wrong secrets are sent, and whether valid requests are spelled in different ways. */
  readonly options: { readonly suite: Suite; readonly seed: number };
  readonly sender: Sender;
  readonly secrets: SecretRegistry;
  readonly clock: Clock;
}

/** The provider's token endpoint (4.1): asks for tokens, remembers and renews them. */
export class TokenClient {
  /** Values that are computed once for this endpoint. */
  readonly memo = new Memo();
  readonly target: Target;
  readonly #parts: TokenClientParts;
  /** Answers to requests that are sent once. */
  readonly #once: { [request in 'first' | 'second' | 'ofSecondClient']?: Promise<TokenAnswer> } = {};
  /** The last answer with a token that is shared. */
  #current: TokenAnswer | null = null;
  #renewal: Promise<string> | null = null;
  /** Valid requests so far that had an unusual spelling. */
  #respelled = 0;
  /** Whether control requests after a refusal are in progress, or were conclusive. */
  #isControlled: boolean = false;
  /** The answers of the run and what became of their tokens. */
  readonly history: TokenHistory;
  /** Sends requests of every form. */
  readonly endpoint: TokenEndpoint;
  /** Work that needs its token to stay in force. */
  readonly lock = new TokenLock();
  /** Sends wrong secrets, and has valid requests between requests that must be refused. */
  readonly wrong: WrongRequests;

  constructor(parts: TokenClientParts, earlier?: TokenClient) {
    this.target = parts.target;
    this.#parts = parts;
    this.history = earlier?.history.copy() ?? new TokenHistory(parts.target);
    this.endpoint = new TokenEndpoint({
      ...parts,
      history: this.history,
      beforeOther: () => this.wrong.beforeOther(),
    });
    this.wrong = new WrongRequests({
      ...parts,
      limits: wrongSecretLimits(parts.target, parts.options.suite),
      endpoint: this.endpoint,
      history: this.history,
      lock: this.lock,
      sendValid: (client) => this.#sendValid(client),
      sendValidApart: (client) =>
        this.#sendValid(client, { isShared: false, spelling: USUAL_ON_NEW_CONNECTION }),
      // Later, a lock-out might explain its refusal.
      secondIfSeveral: async () => {
        if (parts.options.suite !== 'smoke') await this.secondAnswer().catch(() => undefined);
      },
    });
    if (earlier !== undefined) {
      Object.assign(this.#once, earlier.#once);
      this.#current = earlier.#current;
      return;
    }
    for (const { secret, label, clientId } of secretsOf(parts.target)) {
      this.#parts.secrets.add(secret, label, `$${label.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`);
      if (clientId !== null) this.#parts.secrets.addBasic(clientId, secret, label);
    }
    if (parts.options.suite !== 'smoke') this.knowAlteredSecrets();
  }

  /**
   * Has altered copies of the secrets removed from all outputs. Known from the start of a run that may send them: a provider may
   * repeat them to a worker that never sent them.
   */
  knowAlteredSecrets(): void {
    const { credentials, otherCredentials } = this.target;
    for (const { secret, label, shell } of alteredSecrets(credentials.clientSecret))
      this.#parts.secrets.add(secret, label, shell);
    if (otherCredentials === null) return;
    for (const { secret, label, shell } of alteredSecrets(otherCredentials.clientSecret)) {
      const shellOfSecondClient = shell.replaceAll('CLIENT_SECRET', 'OTHER_CLIENT_SECRET');
      this.#parts.secrets.add(secret, `other-${label}`, shellOfSecondClient);
    }
  }

  /** A copy with the answers so far that sends nothing and does not change this client. */
  offline(): TokenClient {
    return new TokenClient({ ...this.#parts, sender: OFFLINE }, this);
  }

  /** The run's first valid request: sent once, and again after some time if a gateway has no provider. Throws NoAnswer. */
  firstAnswer(): Promise<TokenAnswer> {
    this.#once.first ??= this.#requestUntilStarted();
    return this.#once.first;
  }

  async #requestUntilStarted(): Promise<TokenAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#sendValid('first');
      if (attempt === START_ATTEMPTS || !isOfGateway(answer.status)) return answer;
      await this.#parts.clock.sleep(START_PAUSE_MS, null);
    }
  }

  /**
   * The first answer of status 200 to a valid request. Throws NoAnswer; Blocked if the provider issues no token;
   * Undecided if it is throttled.
   */
  async issued(): Promise<TokenAnswer> {
    const first = await this.firstAnswer();
    const answer = [first, ...this.history.answersToValidRequests()].find(
      (one) => one.status === 200 && !isWebPage(one) && !refusesWith200(one),
    );
    if (answer === undefined) throw this.#whyNoToken(first);
    return answer;
  }

  /**
   * A second valid request, after the first: shows whether a token is handed out again, and what holds not only once.
   * Throws NoAnswer.
   */
  secondAnswer(): Promise<TokenAnswer> {
    this.#once.second ??= this.firstAnswer().then(async (first) => {
      const second = await this.#sendValid('first');
      // Only valid requests were sent so far, so a lock-out cannot explain a refusal; a mistyped secret explains two.
      return isRefused(second) && !isRefused(first) ? this.#sendValid('first') : second;
    });
    return this.#once.second;
  }

  /** A further valid request, now. Throws NoAnswer, and Undecided if there is no such client. */
  requestAnother(client: Client = 'first'): Promise<TokenAnswer> {
    return this.#sendValid(client);
  }

  /**
   * A further valid request whose token is given to the caller only, which makes the first use of it. Throws NoAnswer.
   *
   * @param spelling any unless given
   */
  requestUnshared(spelling?: TokenSpelling): Promise<TokenAnswer> {
    return this.#sendValid('first', { isShared: false, spelling });
  }

  /**
   * The second client's first valid request, sent again if a gateway may have answered it. Throws NoAnswer, and Undecided if
   * none is configured.
   */
  secondClientAnswer(): Promise<TokenAnswer> {
    this.#once.ofSecondClient ??= this.#sendValid('second').then((answer) =>
      isWebPage(answer) || answer.status === 404 ? this.#sendValid('second') : answer,
    );
    return this.#once.ofSecondClient;
  }

  /**
   * A token that is accepted now as far as its validity shows: the newest one, renewed in the last tenth of its
   * life. Throws NoAnswer; Blocked if the provider gives none; Undecided if it is throttled.
   */
  async bearer(): Promise<string> {
    // An answer without a token may be followed by others that the first request is waiting for.
    const newest = this.#current?.token != null ? this.#current : await this.firstAnswer();
    if (newest.token === null) throw this.#whyNoToken(newest);
    return this.#isStale(newest) ? this.renew(newest.token) : newest.token;
  }

  /** The given token as long as its validity lasts and no call was refused with it; otherwise as {@link bearer} gives one. */
  async bearerKeeping(token: string): Promise<string> {
    const answer = this.history.wasRefused(token) ? undefined : this.history.answerOf(token);
    return answer === undefined || this.#isStale(answer) ? this.bearer() : token;
  }

  /** A token other than the one that was used: the newest, or a new one if that was the newest. */
  async renew(used: string): Promise<string> {
    this.history.noteRefused(used);
    if (this.#current?.token != null && this.#current.token !== used && !this.#isStale(this.#current))
      return this.#current.token;
    this.#renewal ??= this.#sendValid('first')
      .then((answer) => {
        if (answer.token === null) throw this.#whyNoToken(answer);
        return answer.token;
      })
      .finally(() => {
        this.#renewal = null;
      });
    return this.#renewal;
  }

  /** Undecided if wrong requests may have locked the client out; otherwise as {@link noToken} says. */
  #whyNoToken(answer: TokenAnswer): Error {
    return this.history.mayBeLockedOut(answer) ? lockedOut(answer) : noToken(answer, this.target.limits);
  }

  /** The label of a token in evidence, `token-1` for the first one. */
  labelOf(token: string): string {
    return this.#parts.secrets.addToken(token);
  }

  async #sendValid(
    client: Client,
    { isShared = true, spelling }: { isShared?: boolean; spelling?: TokenSpelling | undefined } = {},
  ): Promise<TokenAnswer> {
    const credentials = client === 'first' ? this.target.credentials : this.target.otherCredentials;
    if (credentials === null) throw new Undecided({ kind: 'unconfigured', key: 'otherCredentials' });
    const form = this.endpoint.validForm(credentials);
    const answer = await this.history.addAnswer(client, () =>
      spelling === undefined
        ? this.#sendInAnySpelling(client, form)
        : this.endpoint.sendValid(form, spelling),
    );
    if (client === 'first') await this.#controlRefusal(answer);
    if (isShared && client === 'first' && (answer.token !== null || this.#current === null))
      this.#current = answer;
    return answer;
  }

  /**
   * Finds out whether each of several servers refuses valid requests, or only one that may have locked the client out. Runs
   * if a valid request is refused although another was accepted and no wrong one was sent since. Sends further ones over
   * new connections. If all are refused, the server that accepted one refuses them as well, and the refusal is proven.
   */
  async #controlRefusal(answer: TokenAnswer): Promise<void> {
    const { endpoint, history } = this;
    if (this.#isControlled || !isRefused(answer) || !history.isUnprovoked(answer)) return;
    this.#isControlled = true;
    // The refusal stays the answer if one of these gets none.
    const sendOne = (): Promise<TokenAnswer | null> =>
      endpoint.sendValid(endpoint.validForm(), USUAL_ON_NEW_CONNECTION).catch(() => null);
    const controls = await Promise.all(Array.from({ length: CONTROLS }, sendOne));
    const areAllRefused = controls.every((one) => one !== null && isRefused(one));
    const isProven = areAllRefused && history.isUndisturbed(answer);
    if (isProven) history.provenRefusals.push(answer);
    this.#isControlled = isProven || controls.some((one) => one !== null && isGranted(one));
  }

  /** Sends a valid request: the first as usual, each later one in another spelling, and again as usual if it is refused. */
  async #sendInAnySpelling(client: Client, form: Form): Promise<TokenAnswer> {
    const { options } = this.#parts;
    const { refusedSpellings } = this.history;
    const isUsual = this.history.answersToValidRequests().length === 0 || refusedSpellings.length > 0;
    // The kept connection stays that of the first client.
    if (client === 'second') return this.endpoint.sendValid(form, USUAL_ON_NEW_CONNECTION);
    if (isUsual || options.suite === 'smoke') return this.endpoint.sendValid(form);
    const spelling = spellingOfTurn(options.seed >>> 0, this.#respelled++);
    const answer = await this.endpoint.sendValid(form, spelling);
    if (answer.status < 400 || !isDecided(answer)) return answer;
    // The usual spelling was refused as well.
    if (!this.history.answersToValidRequests().some(isGranted)) return answer;
    const usual = await this.endpoint.sendValid(form);
    if (usual.status === 200) refusedSpellings.push({ spelling, refused: answer, accepted: usual });
    return usual;
  }

  #isStale({ expiresIn: given, requestedAt }: TokenAnswer): boolean {
    const expiresIn = given ?? VALIDITY_SECONDS;
    const ageMs = this.#parts.clock.now() - requestedAt;
    const { clockRate } = this.target.expiry;
    return expiresIn > 0 && !isCertainlyValid({ expiresIn, ageMs, clockRate });
  }
}
