import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';
import type { Exchange, Header, HttpRequest } from '../core/exchange.ts';
import { Memo } from '../core/memo.ts';
import type { Suite } from '../core/results.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import { alteredSecrets } from '../target/altered-secrets.ts';
import { secretsOf } from '../target/secrets.ts';
import type { Credentials, Limits, Target } from '../target/target.ts';
import { isHtml } from './diagnosis.ts';
import { ProbeBarrier } from './probe-barrier.ts';
import type { SecretRegistry } from './secret-registry.ts';
import { type Manner, NoAnswer, OFFLINE, type Sender } from './sender.ts';
import { undecidedIfThrottled } from './throttled-answer.ts';
import { readTokenAnswer, type TokenAnswer } from './token-answer.ts';
import { type Form, TOKEN_SPELLINGS, type TokenSpelling, USUAL_SPELLING } from './token-spellings.ts';
import { WrongSecretCounter } from './wrong-secret-counter.ts';
import { type WrongSecretLimits, wrongSecretLimits } from './wrong-secret-limits.ts';

/** Whose client_id a request carries. */
export type Client = 'own' | 'other';

/** Seconds for which a token is valid (5.3, 8). */
export const VALIDITY = 3600;
/** Part of that in which it is so whatever the clocks say. */
const SURELY = 0.9;

/** A token that list calls were refused with before its time, while a newer one was accepted. */
export interface EarlyExpiry {
  readonly token: string;
  /** The call that was refused. */
  readonly refused: Exchange;
  /** Milliseconds from the token's request to that call. */
  readonly ageMs: number;
  /** List calls that carried the token, that one included. */
  readonly uses: number;
  /** As the provider gave it, in seconds. */
  readonly expiresIn: number;
  /** Whether nothing was asked of the token endpoint since that a provider might take for a reason to end the token. */
  readonly unexplained: boolean;
}

/** A right request in an unusual spelling that was refused, and the usual one, which was accepted right after. */
export interface RefusedSpelling {
  readonly spelling: TokenSpelling;
  readonly refused: TokenAnswer;
  readonly accepted: TokenAnswer;
}

/** Requests to the token endpoint that are not right, as far as they were begun before a right one and by its answer. */
interface OtherRequests {
  /** Null if one of them was not answered yet. */
  readonly before: number | null;
  readonly after: number;
}

/** A token endpoint and what is known of it. */
class Known {
  readonly origin: string;
  readonly path: string;
  readonly wrong: Record<Client, WrongSecretCounter> = {
    own: new WrongSecretCounter(),
    other: new WrongSecretCounter(),
  };
  readonly right: Record<Client, TokenAnswer[]> = { own: [], other: [] };
  first: Promise<TokenAnswer> | null = null;
  second: Promise<TokenAnswer> | null = null;
  other: Promise<TokenAnswer> | null = null;
  current: TokenAnswer | null = null;
  renewal: Promise<string> | null = null;
  /** Requests that were begun, and those that have come to an end. */
  begun = 0;
  ended = 0;
  /** The same for requests that are not right. */
  otherBegun = 0;
  otherEnded = 0;
  readonly otherRequests = new Map<TokenAnswer, OtherRequests>();
  /** Of each right answer whose request nothing else crossed: how many had been begun by then. */
  readonly alone = new Map<TokenAnswer, number>();
  readonly endings: EarlyExpiry[] = [];
  /** Right requests so far that had an unusual spelling. */
  spelt = 0;
  readonly refusedSpellings: RefusedSpelling[] = [];
  /** Tokens that list calls were refused with. */
  readonly refused = new Set<string>();
  /** Tokens that a list call was answered 200 with. */
  readonly accepted = new Set<string>();
  /** List calls by the token that they carried. */
  readonly uses = new Map<string, number>();
  probes: Promise<unknown> = Promise.resolve();
  /** Whether a wrong secret was answered 429 or 5xx again although a right one was answered between. */
  wrongStaysUndecided = false;
  /** Work that needs its token to stay in force. */
  readonly holds = new Set<Promise<unknown>>();
  /** Fulfilled when the trials of tokens that were begun so far are over. */
  trials: Promise<unknown> = Promise.resolve();
  /** The barrier of checks that send requests which must be refused; null if none does now. */
  probing: ProbeBarrier | null = null;

  /** A copy that later answers do not change. */
  copy(): Known {
    const copy: Known = Object.assign(Object.create(Known.prototype) as Known, this);
    return Object.assign(copy, {
      wrong: { own: new WrongSecretCounter(), other: new WrongSecretCounter() },
      right: { own: [...this.right.own], other: [...this.right.other] },
      alone: new Map(this.alone),
      otherRequests: new Map(this.otherRequests),
      probes: Promise.resolve(),
      trials: Promise.resolve(),
      probing: null,
      renewal: null,
    });
  }

  constructor(authUrl: string) {
    const base = new URL(authUrl);
    this.origin = base.origin;
    this.path = `${base.pathname.replace(/\/$/, '')}/connect/token`;
  }
}

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
  readonly #sender: Sender;
  readonly #clock: Clock;
  readonly #secrets: SecretRegistry;
  readonly #known: Known;
  readonly #limits: WrongSecretLimits;

  constructor(parts: TokenClientParts, known?: Known) {
    this.target = parts.target;
    this.#parts = parts;
    this.#sender = parts.sender;
    this.#clock = parts.clock ?? SYSTEM_CLOCK;
    this.#secrets = parts.secrets;
    this.#known = known ?? new Known(parts.target.authUrl);
    this.#limits = wrongSecretLimits(parts.target, parts.options?.suite ?? 'full');
    if (known !== undefined) return;
    for (const { secret, label, clientId } of secretsOf(parts.target)) {
      this.#secrets.add(secret, label, `$${label.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`);
      if (clientId !== null) this.#secrets.redactor.addBasic(clientId, secret, `${label}-basic`);
    }
    // Known from the start: a provider may repeat them to a worker that never sent them.
    for (const { secret, label, shell } of alteredSecrets(parts.target.credentials.clientSecret))
      this.#secrets.add(secret, label, shell);
  }

  /** A copy with the answers so far that sends nothing and does not change this client. */
  offline(): TokenClient {
    return new TokenClient({ ...this.#parts, sender: OFFLINE }, this.#known.copy());
  }

  /** The request that the specification describes, for one of the configured clients. */
  rightForm(credentials: Credentials = this.target.credentials): Form {
    return [
      ['grant_type', 'client_credentials'],
      ['scope', credentials.scope],
      ['client_id', credentials.clientId],
      ['client_secret', credentials.clientSecret],
    ];
  }

  /** Sends a token request, form-encoded and without an Authorization header. Throws NoAnswer. */
  ask(form: Form, manner: Manner = {}): Promise<TokenAnswer> {
    const { headers } = USUAL_SPELLING;
    const body = USUAL_SPELLING.body(form);
    return this.#exchange({ method: 'POST', target: this.#known.path, headers, body }, manner);
  }

  /** Sends the right request in that spelling. Throws NoAnswer. */
  askSpelt(spelling: TokenSpelling): Promise<TokenAnswer> {
    return this.#sendRight(this.rightForm(), spelling);
  }

  #sendRight(form: Form, spelling = USUAL_SPELLING): Promise<TokenAnswer> {
    const { headers } = spelling;
    const request = { method: 'POST', target: this.#known.path, headers, body: spelling.body(form) };
    return this.#send(request);
  }

  /** Right requests that were refused for their spelling alone, as far as one look shows. */
  get refusedSpellings(): readonly RefusedSpelling[] {
    return this.#known.refusedSpellings;
  }

  /** Sends the fields of a token request as a JSON object. Throws NoAnswer. */
  askAsJson(form: Form): Promise<TokenAnswer> {
    const headers: readonly Header[] = [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ];
    const body = JSON.stringify(Object.fromEntries(form));
    return this.#exchange({ method: 'POST', target: this.#known.path, headers, body });
  }

  /** Sends a token request by GET, its fields in the query. Throws NoAnswer. */
  askByGet(form: Form): Promise<TokenAnswer> {
    const query = new URLSearchParams(form as [string, string][]).toString();
    const headers: readonly Header[] = [['Accept', 'application/json']];
    return this.#exchange({ method: 'GET', target: `${this.#known.path}?${query}`, headers, body: null });
  }

  async #exchange(request: Omit<HttpRequest, 'origin'>, manner: Manner = {}): Promise<TokenAnswer> {
    this.#known.otherBegun++;
    return this.#send(request, manner).finally(() => this.#known.otherEnded++);
  }

  async #send(request: Omit<HttpRequest, 'origin'>, manner: Manner = {}): Promise<TokenAnswer> {
    this.#known.begun++;
    const exchange = await this.#sender
      .send(
        { ...request, origin: this.#known.origin },
        { idempotent: true, ...manner, bodyLimit: 'maxTokenBytes' },
      )
      .finally(() => this.#known.ended++);
    return readTokenAnswer(exchange, this.target.limits.maxJsonDepth);
  }

  /** Sends a token request whose client authenticates by HTTP Basic (RFC 6749, 2.3.1). Throws NoAnswer. */
  askWithBasic(form: Form): Promise<TokenAnswer> {
    const { clientId, clientSecret } = this.target.credentials;
    const pair = Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64');
    this.#secrets.add(
      pair,
      'client-secret in Basic',
      '$(printf %s "$CLIENT_ID:$CLIENT_SECRET" | base64 -w0)',
    );
    const rest = form.filter(([name]) => !name.startsWith('client_'));
    const body = new URLSearchParams(rest as [string, string][]).toString();
    const headers: readonly Header[] = [...USUAL_SPELLING.headers, ['Authorization', `Basic ${pair}`]];
    return this.#exchange({ method: 'POST', target: this.#known.path, headers, body });
  }

  /** Sends the right request to another path of the same origin. Throws NoAnswer. */
  askAt(target: string): Promise<TokenAnswer> {
    const body = new URLSearchParams(this.rightForm() as unknown as [string, string][]).toString();
    return this.#exchange({ method: 'POST', target, headers: USUAL_SPELLING.headers, body });
  }

  /** The run's first right request: asked once. Throws NoAnswer. */
  first(): Promise<TokenAnswer> {
    this.#known.first ??= this.#askRight('own');
    return this.#known.first;
  }

  /**
   * The first right answer of status 200. Throws NoAnswer; Blocked if the provider issues no token;
   * Undecided if it is throttled.
   */
  async issued(): Promise<TokenAnswer> {
    const first = await this.first();
    const answer = [first, ...this.#known.right.own].find((one) => one.status === 200 && !isWebPage(one));
    if (answer === undefined) throw noToken(first, this.target.limits);
    return answer;
  }

  /**
   * A second right request, after the first: shows whether a token is handed out again, and what holds not only once.
   * It does not count as the right one between wrong secrets, whenever it comes. Throws NoAnswer.
   */
  second(): Promise<TokenAnswer> {
    this.#known.second ??= this.first().then(() => this.#askRight('own', { counts: false }));
    return this.#known.second;
  }

  /** A further right request, now. Throws NoAnswer, and Undecided if there is no such client. */
  another(client: Client = 'own'): Promise<TokenAnswer> {
    return this.#askRight(client);
  }

  /** A further right request whose token is given to the caller only, which makes the first use of it. Throws NoAnswer. */
  apart(): Promise<TokenAnswer> {
    return this.#askRight('own', { shared: false });
  }

  /** The same in the usual spelling. Throws NoAnswer. */
  asUsual(): Promise<TokenAnswer> {
    return this.#askRight('own', { shared: false, isUsual: true });
  }

  /**
   * Whether nothing but right requests was sent between an accepted right request and this one: then no wrong one has led
   * to its refusal.
   */
  isUnprovoked(refused: TokenAnswer): boolean {
    const { right, otherRequests } = this.#known;
    const after = otherRequests.get(refused)?.after;
    const earlier = right.own.slice(0, Math.max(0, right.own.indexOf(refused)));
    return (
      after !== undefined &&
      earlier.some((one) => one.status === 200 && otherRequests.get(one)?.before === after)
    );
  }

  /** The second provider's first right request. Throws NoAnswer, and Undecided if none is configured. */
  other(): Promise<TokenAnswer> {
    this.#known.other ??= this.#askRight('other');
    return this.#known.other;
  }

  /**
   * A token that is accepted now as far as its validity tells: the newest one, renewed in the last tenth of its
   * life. Throws NoAnswer; Blocked if the provider gives none; Undecided if it is throttled.
   */
  async bearer(): Promise<string> {
    const newest = this.#known.current ?? (await this.first());
    if (newest.token === null) throw noToken(newest, this.target.limits);
    return this.#isStale(newest) ? this.renew(newest.token) : newest.token;
  }

  /** That token as long as its validity lasts and no call was refused with it; otherwise as {@link bearer} gives one. */
  async keeping(token: string): Promise<string> {
    const { right, refused } = this.#known;
    const answer = refused.has(token) ? undefined : right.own.findLast((one) => one.token === token);
    return answer === undefined || this.#isStale(answer) ? this.bearer() : token;
  }

  /** A token other than the one that was used: the newest, or a new one if that was the newest. */
  async renew(used: string): Promise<string> {
    this.#known.refused.add(used);
    if (
      this.#known.current?.token != null &&
      this.#known.current.token !== used &&
      !this.#isStale(this.#known.current)
    )
      return this.#known.current.token;
    this.#known.renewal ??= this.#askRight('own')
      .then((answer) => {
        if (answer.token === null) throw noToken(answer, this.target.limits);
        return answer.token;
      })
      .finally(() => {
        this.#known.renewal = null;
      });
    return this.#known.renewal;
  }

  /**
   * Whether a token was certainly in force when a call carried it: it was the last one issued, expires_in had not passed, and no
   * later token request could have ended it.
   *
   * @param exchange a call that has been answered just now
   */
  inForce(token: string, exchange: Exchange): boolean {
    const answer = this.#known.right.own.at(-1);
    if (answer?.token !== token || answer.expiresIn === null) return false;
    const { begun, ended, alone } = this.#known;
    if (begun !== ended || alone.get(answer) !== begun) return false;
    const age = exchange.startedAt + exchange.durationMs - answer.askedAt;
    return age * this.target.expiry.clockRate < Math.min(answer.expiresIn, VALIDITY) * SURELY * 1000;
  }

  /** Whether a token of the run was requested before that time, in milliseconds since the epoch. */
  wasIssuedBefore(token: string, time: number): boolean {
    const answer = this.#known.right.own.findLast((one) => one.token === token);
    return answer !== undefined && answer.askedAt < time;
  }

  /** Whether a right request of either client obtained that token. */
  isIssued(token: string): boolean {
    const { own, other } = this.#known.right;
    return [...own, ...other].some((answer) => answer.token === token);
  }

  /** To be called for every list call that carries a token of the run. */
  used(token: string): void {
    this.#known.uses.set(token, (this.#known.uses.get(token) ?? 0) + 1);
  }

  /** To be called for every list call that is answered 200 with a token. */
  noteAccepted(token: string): void {
    this.#known.accepted.add(token);
  }

  /** Whether any list call was answered 200 with that token so far. */
  wasAccepted(token: string): boolean {
    return this.#known.accepted.has(token);
  }

  /** To be called if a token is refused and a newer one is accepted; expired tokens are ignored. */
  noteEnding(token: string, refused: Exchange, unexplained: boolean): void {
    const answer = this.#known.right.own.findLast((one) => one.token === token);
    if (answer === undefined || answer.expiresIn === null) return;
    const ageMs = refused.startedAt + refused.durationMs - answer.askedAt;
    const validMs = Math.min(answer.expiresIn, VALIDITY) * SURELY * 1000;
    if (ageMs * this.target.expiry.clockRate >= validMs) return;
    const uses = this.#known.uses.get(token) ?? 0;
    this.#known.endings.push({ token, refused, ageMs, uses, expiresIn: answer.expiresIn, unexplained });
  }

  /** Tokens that ended before their time, so far. */
  get endings(): readonly EarlyExpiry[] {
    return this.#known.endings;
  }

  /** Requests of any kind to the token endpoint that were begun so far. */
  get requestsBegun(): number {
    return this.#known.begun;
  }

  /** Every right answer so far, in order. */
  rightAnswers(client: Client = 'own'): readonly TokenAnswer[] {
    return this.#known.right[client];
  }

  /** Requests with a wrong secret that a client may send in the run. */
  get mostWrongSecrets(): number {
    return this.#limits.total;
  }

  /** How many more requests with a wrong secret the target file allows for this client. */
  wrongSecretsLeft(client: Client): number {
    return this.#limits.total - this.#known.wrong[client].sent;
  }

  /** How many requests with a wrong secret for this client repeated a failed one. */
  wrongSecretsRepeated(client: Client): number {
    return this.#known.wrong[client].repeated;
  }

  /**
   * Sends a request whose secret is not the client's: one at a time, never more than a few without a right one
   * between them, and null once `probes.wrongCredentials` is used up. One that comes to nothing (429, 5xx, no answer) is
   * repeated once, after a right one that is answered: what waits for the end of an outage is a right one. Throws NoAnswer,
   * and Undecided if the right one between them is refused as well.
   */
  wrongSecret(client: Client, form: Form): Promise<TokenAnswer | null> {
    const turn = this.#known.probes.then(async () => {
      const answer = await this.#askWrong(client, form).catch((error: unknown) => {
        if (error instanceof NoAnswer && this.wrongSecretsLeft(client) > 0) return error;
        throw error;
      });
      const isAnswered = answer === null || (!(answer instanceof NoAnswer) && isDecided(answer));
      if (isAnswered || this.#known.wrongStaysUndecided) return answer;
      this.#expectRight(await this.#askRight(client));
      const again = await this.#askWrong(client, form);
      if (again !== null) this.#known.wrong[client].repeated += 1;
      this.#known.wrongStaysUndecided = again !== null && !isDecided(again);
      return again ?? answer;
    });
    const handedOn = turn.then((answer) => {
      if (answer instanceof NoAnswer) throw answer;
      return answer;
    });
    this.#known.probes = handedOn.catch(() => undefined);
    return handedOn;
  }

  async #askWrong(client: Client, form: Form): Promise<TokenAnswer | null> {
    const wrong = this.#known.wrong[client];
    if (this.wrongSecretsLeft(client) <= 0) return null;
    if (wrong.inARow >= this.#limits.inARow) this.#expectRight(await this.#askRight(client));
    wrong.count(1);
    return this.ask(form, { repetitions: 0 });
  }

  /**
   * To be called before a check sends requests that must be refused. After them it calls `control`, which waits
   * for the other checks that send such requests and for one right request after all of them, or `leave`, which
   * does not wait. `control` throws NoAnswer, and Undecided if the right request is refused as well.
   */
  enterProbes(): { readonly control: () => Promise<void>; readonly leave: () => void } {
    this.#known.probing ??= new ProbeBarrier();
    const enterProbes = this.#known.probing;
    enterProbes.enter();
    const leave = (awaits: boolean): void => {
      if (enterProbes.leave(awaits, () => this.#askRight('own'))) this.#known.probing = null;
    };
    return {
      leave: () => leave(false),
      control: async () => {
        leave(true);
        this.#expectRight(await enterProbes.control);
      },
    };
  }

  /** Does work that proves nothing if its token is ended meanwhile, as some providers do when they issue another one. */
  holding<Result>(work: () => Promise<Result>): Promise<Result> {
    const held = work();
    this.#known.holds.add(held);
    const release = (): void => void this.#known.holds.delete(held);
    held.then(release, release);
    return held;
  }

  /** The same for work that another token request disturbs: after other work of this kind. */
  trying<Result>(work: () => Promise<Result>): Promise<Result> {
    const trial = this.#known.trials.then(() => this.holding(work));
    this.#known.trials = trial.catch(() => undefined);
    return trial;
  }

  /** Waits until no such work is under way. */
  async released(): Promise<void> {
    while (this.#known.holds.size > 0) await Promise.allSettled(this.#known.holds);
  }

  /** The label of a token in evidence, `token-1` for the first one. */
  labelOf(token: string): string {
    return this.#secrets.addToken(token);
  }

  async #askRight(
    client: Client,
    { shared = true, counts = true, isUsual = false } = {},
  ): Promise<TokenAnswer> {
    const credentials = client === 'own' ? this.target.credentials : this.target.otherCredentials;
    if (credentials === null) throw new Undecided({ kind: 'unconfigured', key: 'otherCredentials' });
    const { begun, ended, otherBegun, otherEnded } = this.#known;
    const wrong = this.#known.wrong[client];
    const wrongBefore = wrong.sent;
    const form = this.rightForm(credentials);
    const answer = await (isUsual ? this.#sendRight(form) : this.#askInAnySpelling(client, form));
    this.#known.otherRequests.set(answer, {
      before: otherBegun === otherEnded ? otherBegun : null,
      after: this.#known.otherBegun,
    });
    if (begun === ended && begun + 1 === this.#known.begun) this.#known.alone.set(answer, this.#known.begun);
    if (counts && isGranted(answer)) wrong.answeredRight(wrongBefore);
    this.#known.right[client].push(answer);
    if (shared && client === 'own' && (answer.token !== null || this.#known.current === null))
      this.#known.current = answer;
    return answer;
  }

  /** Sends a right request: the first as usual, each later one in another spelling, and again as usual if it is refused. */
  async #askInAnySpelling(client: Client, form: Form): Promise<TokenAnswer> {
    const { options } = this.#parts;
    const { right, refusedSpellings } = this.#known;
    const isUsual = client === 'other' || right.own.length === 0 || refusedSpellings.length > 0;
    if (isUsual || options === undefined || options.suite === 'smoke') return this.#sendRight(form);
    const place = ((options.seed >>> 0) + this.#known.spelt++) % TOKEN_SPELLINGS.length;
    const spelling = TOKEN_SPELLINGS[place] ?? USUAL_SPELLING;
    const answer = await this.#sendRight(form, spelling);
    if (answer.status < 400 || !isDecided(answer)) return answer;
    const usual = await this.#sendRight(form);
    if (usual.status === 200) refusedSpellings.push({ spelling, refused: answer, accepted: usual });
    return usual;
  }

  /** Throws Undecided if a right request is refused after wrong ones. */
  #expectRight(answer: TokenAnswer): void {
    if (isGranted(answer)) return;
    const { exchange, status } = answer;
    throw (
      undecidedIfThrottled('the token endpoint', exchange, this.target.limits) ??
      new Undecided(
        { kind: 'unavailable', status },
        'the right credentials were refused as well after requests that must be refused, so their refusal proves nothing. The client may be locked or this address blocked: unlock it, or lower probes.wrongCredentials',
      )
    );
  }

  #isStale(answer: TokenAnswer): boolean {
    const age = ((this.#clock.now() - answer.askedAt) / 1000) * this.target.expiry.clockRate;
    const validity = Math.min(answer.expiresIn ?? VALIDITY, VALIDITY);
    return validity > 0 && age > validity * SURELY;
  }
}

/** Whether the token endpoint answered with a web page: then it is no token endpoint. */
export function isWebPage({ exchange }: TokenAnswer): boolean {
  return exchange.answer !== null && isHtml(exchange.answer);
}

/** Whether a right request was granted, even if with another status than 200: the client is not locked. */
function isGranted({ status, stray }: TokenAnswer): boolean {
  return status === 200 || (status > 200 && status < 300 && stray !== null);
}

/** Whether an answer is one that an outage or a limit of requests does not give. */
function isDecided({ status }: TokenAnswer): boolean {
  return status !== 429 && status < 500;
}

/** As RFC 6749, 2.3.1, has client id and secret encoded before they are joined. */
function encoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}

function noToken(answer: TokenAnswer, limits: Limits): Error {
  const later = undecidedIfThrottled('the token endpoint', answer.exchange, limits, true);
  if (later !== null) return later;
  return answer.status === 200 && !isWebPage(answer)
    ? new Blocked('token/shape', 'the token answer holds no access_token')
    : new Blocked('token/issued', `the token request was answered ${answer.status}`);
}
