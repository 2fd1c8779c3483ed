import type { Exchange } from '../core/exchange.ts';
import { getOrMake } from '../core/maps.ts';
import type { Target } from '../target/target.ts';
import { isGranted, isRefused, refusesWith200, type TokenAnswer } from './token-answer.ts';
import type { TokenSpelling } from './token-spellings.ts';

/** Whose client_id a request carries: that of `credentials` or that of `otherCredentials`. */
export type Client = 'first' | 'second';

/** Seconds for which a token is valid (5.3, 8). */
export const VALIDITY_SECONDS = 3600;
/** Part of the validity in which a token is in force even if the clocks differ. */
const SAFE_SHARE = 0.9;

/**
 * Whether a token is certainly in force, even if the clocks differ.
 *
 * @param expiresIn seconds, of which no more than the specified validity counts
 * @param ageMs milliseconds of Assay's clock since the token was requested
 * @param clockRate how many times faster the provider's clock runs
 */
export function isCertainlyValid(token: {
  readonly expiresIn: number;
  readonly ageMs: number;
  readonly clockRate: number;
}): boolean {
  return token.ageMs * token.clockRate < Math.min(token.expiresIn, VALIDITY_SECONDS) * SAFE_SHARE * 1000;
}

/** Request targets of one token that are kept at most. */
const MAX_TARGETS = 200;

/** A token that list calls were refused with before its time, while a newer one was accepted. */
export interface EarlyExpiry {
  readonly token: string;
  readonly refused: Exchange;
  /** Milliseconds from the token's request to that call. */
  readonly ageMs: number;
  /** List calls that carried the token before and were not refused. */
  readonly uses: number;
  /** Their request targets; of many calls the first ones. */
  readonly targets: readonly string[];
  /** As the provider gave it, in seconds. */
  readonly expiresIn: number;
  /** Whether no later token request could have ended the token. */
  readonly isUnexplained: boolean;
}

/** A valid request in an unusual spelling that was refused, and the usual one, which was accepted right after. */
interface RefusedSpelling {
  readonly spelling: TokenSpelling;
  readonly refused: TokenAnswer;
  readonly accepted: TokenAnswer;
}

/** Requests to a token endpoint: how many were begun, and how many have ended. */
class RequestCount {
  begun = 0;
  ended = 0;

  /** How many were begun if all of them have ended; null otherwise. */
  get atRest(): number | null {
    return this.begun === this.ended ? this.begun : null;
  }

  /** Counts a request while it is carried out. */
  async during<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    this.begun += 1;
    try {
      return await request();
    } finally {
      this.ended += 1;
    }
  }
}

/** A valid request that was answered, and the requests around it. */
interface ValidRequest {
  readonly client: Client;
  readonly answer: TokenAnswer;
  /** Requests other than valid ones that were begun before it; null if one was in progress. */
  readonly wrongBefore: number | null;
  /** Requests other than valid ones that were begun before its answer. */
  readonly wrongAfter: number;
  /** All requests begun before its answer if none overlapped it; null otherwise. */
  readonly begunIfAlone: number | null;
}

class TokenUse {
  /** List calls that carried it and were not refused. */
  count = 0;
  /** Their request targets; of many calls the first ones. */
  readonly targets: string[] = [];
  isAccepted: boolean = false;
  isRefused: boolean = false;
}

/** What a run knows about the tokens of an endpoint: the answers that gave them, their uses, and how they ended. */
export class TokenHistory {
  readonly #target: Target;
  /** All requests to the endpoint. */
  readonly requests = new RequestCount();
  /** Requests that are not valid. */
  readonly wrongRequests = new RequestCount();
  #valid: ValidRequest[] = [];
  #uses = new Map<string, TokenUse>();
  /** Tokens that ended before their time, so far. */
  readonly endings: EarlyExpiry[] = [];
  readonly refusedSpellings: RefusedSpelling[] = [];
  /** Refused valid requests that no lock-out explains, even if each server locks clients out separately. */
  readonly provenRefusals: TokenAnswer[] = [];

  constructor(target: Target) {
    this.#target = target;
  }

  /** A copy that later answers do not change. */
  copy(): TokenHistory {
    const copy = new TokenHistory(this.#target);
    Object.assign(copy.requests, this.requests);
    Object.assign(copy.wrongRequests, this.wrongRequests);
    copy.#valid = [...this.#valid];
    copy.#uses = structuredClone(this.#uses);
    copy.endings.push(...this.endings);
    copy.refusedSpellings.push(...this.refusedSpellings);
    copy.provenRefusals.push(...this.provenRefusals);
    return copy;
  }

  async addAnswer(client: Client, send: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
    const all = this.requests.atRest;
    const wrongBefore = this.wrongRequests.atRest;
    const answer = await send();
    const { begun } = this.requests;
    const begunIfAlone = all !== null && all + 1 === begun ? begun : null;
    this.#valid.push({ client, answer, wrongBefore, wrongAfter: this.wrongRequests.begun, begunIfAlone });
    return answer;
  }

  /** Every answer to a valid request so far, in order. */
  answersToValidRequests(client: Client = 'first'): readonly TokenAnswer[] {
    return this.#valid.filter((one) => one.client === client).map(({ answer }) => answer);
  }

  /** The last answer that gave the token to the first provider's client. */
  answerOf(token: string): TokenAnswer | undefined {
    return this.#lastOf(token)?.answer;
  }

  #lastOf(token: string): ValidRequest | undefined {
    return this.#valid.findLast(({ client, answer }) => client === 'first' && answer.token === token);
  }

  /** Whether a valid request of either client obtained that token. */
  isIssued(token: string): boolean {
    return this.#valid.some(({ answer }) => answer.token === token);
  }

  /**
   * Whether a token was certainly in force when a call carried it: it was the last one issued, expires_in had not
   * passed, and no later token request could have ended it.
   *
   * @param exchange a call that has been answered just now
   */
  inForce(token: string, exchange: Exchange): boolean {
    const last = this.#valid.findLast(({ client }) => client === 'first');
    if (last?.answer.token !== token || last.answer.expiresIn === null) return false;
    if (last.begunIfAlone === null || last.begunIfAlone !== this.requests.atRest) return false;
    return this.#isCertainlyValid(last.answer.expiresIn, ageMsOf(last.answer, exchange));
  }

  /**
   * Whether only valid requests were sent between an accepted valid request and this one: then no wrong one has led to
   * its refusal, unless each of several servers locks the client out for itself.
   *
   * @param overOneConnection whether both were sent over one connection, and so to one server
   */
  isUnprovoked(refused: TokenAnswer, { overOneConnection = false } = {}): boolean {
    const ofFirst = this.#valid.filter(({ client }) => client === 'first');
    const place = ofFirst.findIndex(({ answer }) => answer === refused);
    const { connection } = refused.exchange;
    return ofFirst
      .slice(0, Math.max(0, place))
      .some(
        ({ answer, wrongBefore }) =>
          isGranted(answer) &&
          wrongBefore === ofFirst[place]?.wrongAfter &&
          (!overOneConnection || (connection !== null && answer.exchange.connection === connection)),
      );
  }

  /** Whether wrong requests may have led to the refusal of a valid one: another was granted before, none of them in between. */
  mayBeLockedOut(answer: TokenAnswer): boolean {
    const isRefusal = isRefused(answer) || refusesWith200(answer);
    return isRefusal && this.answersToValidRequests().some(isGranted) && !this.isUnprovoked(answer);
  }

  /** Whether no other token request was in progress between the sending and the answer of this valid one. */
  wasAlone(answer: TokenAnswer): boolean {
    return this.#valid.some((one) => one.answer === answer && one.begunIfAlone !== null);
  }

  /** Whether another token request was begun after the last one that gave this token, or before its answer. */
  wasFollowed(token: string): boolean {
    const last = this.#lastOf(token);
    return last !== undefined && last.begunIfAlone !== this.requests.begun;
  }

  /** Whether nothing but valid requests was begun since this one was answered. */
  isUndisturbed(answer: TokenAnswer): boolean {
    const request = this.#valid.find((one) => one.answer === answer);
    return request?.wrongAfter === this.wrongRequests.begun;
  }

  /**
   * Valid requests that were refused, after one was accepted, before any wrong request was sent: no server can have
   * locked the client out.
   */
  get refusedBeforeWrong(): readonly TokenAnswer[] {
    return this.#valid
      .filter(({ client, answer, wrongAfter }) => client === 'first' && isRefused(answer) && wrongAfter === 0)
      .map(({ answer }) => answer)
      .filter((answer) => this.isUnprovoked(answer));
  }

  /** Counts a list call with the token, unless its answer refuses the caller. */
  noteUse(token: string, status: number, target: string): void {
    if (status === 401 || status === 403) return;
    const use = this.#useOf(token);
    use.count += 1;
    if (use.targets.length < MAX_TARGETS) use.targets.push(target);
    use.isAccepted ||= status === 200;
  }

  wasAccepted(token: string): boolean {
    return this.#uses.get(token)?.isAccepted === true;
  }

  /** A token of the first provider that no list call has carried; null if there is none. */
  get unusedToken(): string | null {
    const isUnused = ({ token }: TokenAnswer): boolean => token !== null && !this.#uses.has(token);
    return this.answersToValidRequests().find(isUnused)?.token ?? null;
  }

  noteRefused(token: string): void {
    this.#useOf(token).isRefused = true;
  }

  wasRefused(token: string): boolean {
    return this.#uses.get(token)?.isRefused === true;
  }

  /** Notes that a token is refused and a newer one is accepted; expired tokens are ignored. */
  noteEarlyExpiry(token: string, refused: Exchange, isUnexplained: boolean): void {
    const answer = this.answerOf(token);
    if (answer === undefined || answer.expiresIn === null) return;
    const { expiresIn } = answer;
    const ageMs = ageMsOf(answer, refused);
    if (!this.#isCertainlyValid(expiresIn, ageMs)) return;
    const { count: uses, targets } = this.#useOf(token);
    this.endings.push({ token, refused, ageMs, uses, targets: [...targets], expiresIn, isUnexplained });
  }

  #useOf(token: string): TokenUse {
    return getOrMake(this.#uses, token, () => new TokenUse());
  }

  #isCertainlyValid(expiresIn: number, ageMs: number): boolean {
    return isCertainlyValid({ expiresIn, ageMs, clockRate: this.#target.expiry.clockRate });
  }
}

/** Milliseconds from the request of a token to the answer of a call. */
function ageMsOf({ requestedAt }: TokenAnswer, { startedAt, durationMs }: Exchange): number {
  return startedAt + durationMs - requestedAt;
}
