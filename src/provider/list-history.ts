import type { Exchange, HttpAnswer } from '../core/exchange.ts';
import { unavailable } from '../core/undecided.ts';
import { isThrottled } from '../http/pacing/retry.ts';
import { basePathOf } from '../target/make.ts';
import type { Resource, Target } from '../target/target.ts';
import { CallLog } from './call-log.ts';
import { KnownRecords } from './known-records.ts';
import {
  hasParameter,
  hasUnspecifiedPageSize,
  LIST_PARAMETERS,
  type ListAddress,
  offsetIn,
  parametersOf,
  valuesOf,
} from './link.ts';
import { LinkLog } from './link-log.ts';
import { type ItemReading, isOtherSuccess, type ListAnswer, type NoEnvelope } from './page.ts';
import { PageLog } from './page-log.ts';
import { isForbidden, isServerError, isUndecided } from './throttled-answer.ts';

/** A call with unrelated text, or nothing, in place of a token that gave records. */
interface AcceptedProbe {
  /** What it carried, as text. */
  readonly sent: string;
  readonly target: string;
  readonly repeat: () => Promise<Exchange | null>;
}

/** A call that was refused, and the same with the same token, which was accepted right after. */
export interface RefusalInForce {
  readonly refused: Exchange;
  readonly accepted: Exchange;
}

/**
 * Kinds of calls that a provider must refuse, as they have no issued token, or may refuse in any way: of another path
 * without an issued token, or with a page size outside 1 to 500.
 */
export type RefusableCall = 'without token' | 'another path' | 'unspecified page size';

/** Calls without an issued token that may be throttled in a row before no more are sent. */
const MAX_THROTTLED = 2;

/** Calls that are repeated with a newer token, without success, before no more are. */
const MAX_VAIN_RENEWALS = 2;

/** Calls that are repeated after a 403 and a pause, without success, before no more are. */
const MAX_VAIN_PAUSES = 2;

/** Detects a rate limit that is answered 403: an immediate repetition is refused, one after a pause is accepted. */
class ForbiddenLimit {
  repetitionsHelped = 0;
  pausesHelped = 0;
  #vainPauses = 0;
  /** The call that is repeated after pauses now; null if there is none. */
  trial: Promise<unknown> | null = null;

  get isKnown(): boolean {
    return this.pausesHelped > this.repetitionsHelped;
  }

  get isPossible(): boolean {
    return this.isKnown || this.#vainPauses < MAX_VAIN_PAUSES;
  }

  /** Notes a call that was repeated after pauses without success. If no call was ever accepted, one is enough. */
  notePausesWithoutEffect(wasAccepted: boolean): void {
    this.#vainPauses += wasAccepted ? 1 : MAX_VAIN_PAUSES;
  }
}

/** Knows which kinds of calls a provider throttles instead of refusing them: some answer all such calls 429. */
class RefusableCalls {
  /** The statuses of calls without an issued token that were throttled in a row, the first after its retries. */
  #throttled: readonly number[] = [];
  /** Kinds that were answered 429, 502, 503 or 504, also after their retries. Another path may be limited in another way. */
  readonly #unavailable = new Set<RefusableCall>();

  /** To be called before a call is sent. Throws Undecided if no more of its kind are. */
  begin(kind: RefusableCall): void {
    if (kind !== 'without token' || this.#throttled.length < MAX_THROTTLED) return;
    throw unavailable(
      this.#throttled.at(-1) ?? null,
      `${MAX_THROTTLED} calls that must be refused were answered ` +
        `${[...new Set(this.#throttled)].join(' and ')}, so no further ones were sent`,
    );
  }

  /** Whether retries of such a call would not help. */
  isInVain(kind: RefusableCall): boolean {
    return kind === 'without token' ? this.#throttled.length > 0 : this.#unavailable.has(kind);
  }

  noteAnswer(kind: RefusableCall, answer: HttpAnswer): void {
    if (kind === 'without token')
      this.#throttled = isThrottled(answer) ? [...this.#throttled, answer.status] : [];
    else if (isUndecided(answer.status)) this.#unavailable.add(kind);
  }
}

/** What a run has seen of a list: the answers that gave it, and those that refused it. */
export class ListHistory {
  readonly address: ListAddress;
  reading: ItemReading | null = null;
  /** The first call that was refused although its token was valid, before any call was accepted; null if there is none. */
  firstRefusedCall: Exchange | null = null;
  /** Milliseconds since the epoch at which a call with a token was answered 200 first. */
  firstAcceptedAt = Number.POSITIVE_INFINITY;
  /** Calls that were answered 401 although their token was accepted right after. */
  readonly refusalsInForce: RefusalInForce[] = [];
  /** Calls with a token that were answered 403 without Retry-After, 5xx except 503, or only after a retry. */
  readonly failedCalls: Exchange[] = [];
  /** Answers to calls that the specification describes, and those of status 500, also if the call was repeated after it. */
  answersWithin = 0;
  errorsWithin = 0;
  /** The request targets of such calls that were answered 500, and 200 later. */
  readonly recovered = new Set<string>();
  readonly #failedOnce = new Set<string>();
  /** Calls that were repeated with a newer token, without success, because of another refusal than 401 and 403. */
  renewalsWithoutEffect = 0;
  /** A rate limit that is answered 403 without Retry-After. */
  readonly forbiddenLimit = new ForbiddenLimit();
  /** Calls with a token that were answered with a status of success other than 200. */
  readonly otherSuccesses: Exchange[] = [];
  /** When calls with a token of the run were answered, and when they failed. */
  readonly calls = new CallLog();
  /** The links that the list gave to calls with a token, and what following them gave. */
  readonly links = new LinkLog(this.calls);
  /** The token of each call that carried one, by the number of the exchange. */
  readonly tokenOf = new Map<number, string>();
  /** Answers with status 200 that gave no list, to calls with a token. */
  readonly withoutEnvelope: NoEnvelope[] = [];
  /** Calls that must be refused and were answered 200 without records; checks count them. */
  answeredWithoutRecords: number = 0;
  /** Calls without a token that gave records, in the order in which the checks saw them; checks add to it. */
  readonly unauthorizedPages: Exchange[] = [];
  /** Calls without a token of a page other than the first that gave records; checks add to it. */
  readonly unauthorizedOtherPages: Exchange[] = [];
  /** Calls with unrelated text, or nothing, in place of a token that gave records; checks add to it. */
  readonly acceptedProbes: AcceptedProbe[] = [];
  readonly refusableCalls = new RefusableCalls();
  /** The last call without a token that was answered 401, by its request target. */
  readonly refusalsWithoutToken = new Map<string, Exchange>();
  /** The last call with a token that was answered 5xx, except 503; null if there is none. */
  serverError: Exchange | null = null;
  /** Whether any call was answered with a list envelope. */
  hasGivenPage: boolean = false;
  readonly pages: PageLog;
  /** What is known of its records, to recognise them in answers. */
  readonly records: KnownRecords;

  constructor(target: Target, resource: Resource) {
    const { origin } = new URL(target.baseUrl);
    const basePath = basePathOf(target.baseUrl);
    const longestLink = target.limits.maxLinkLength;
    this.address = { origin, basePath, listPath: resource.path, longestLink };
    this.pages = new PageLog(basePath + resource.path, target, this.calls);
    this.records = new KnownRecords(resource, target, this.pages);
  }

  /**
   * Whether an answer without a page, other than 401 and 403, may be a refusal of the token: the specification does not
   * say with which status a provider refuses one (7).
   */
  mayRefuseToken({ request, answer }: Exchange): boolean {
    const status = answer?.status ?? 200;
    const isOther = status !== 200 && status !== 401 && status !== 403 && !isUndecided(status);
    return isOther && this.renewalsWithoutEffect < MAX_VAIN_RENEWALS && this.isWithin(request.target);
  }

  /** Whether a target asks for a page within the list, as far as its length is known, and for nothing unspecified. */
  isWithin(target: string): boolean {
    const parameters = parametersOf(target);
    const isKnown =
      parameters.every(({ name }) => LIST_PARAMETERS.includes(name)) || this.links.isGiven(target);
    const [count = 'true', ...others] = valuesOf(parameters, '$count');
    const isCount = others.length === 0 && /^(true|false)$/u.test(count);
    const skip = offsetIn(parameters) ?? -1;
    const isInList = skip === 0 || (skip > 0 && skip < (this.pages.counts?.last ?? 0));
    return isKnown && isCount && isInList && !hasUnspecifiedPageSize(target);
  }

  /** Notes an answer to a call with a token, also one after which the call is repeated. */
  noteAnswer(exchange: Exchange): void {
    if (isForbidden(exchange) && !this.failedCalls.includes(exchange)) this.failedCalls.push(exchange);
    const { target } = exchange.request;
    if (!this.isWithin(target)) return;
    this.answersWithin++;
    if (exchange.answer?.status === 500) {
      this.errorsWithin++;
      this.#failedOnce.add(target);
    } else if (exchange.answer?.status === 200 && this.#failedOnce.has(target)) this.recovered.add(target);
  }

  get wasAccepted(): boolean {
    return this.firstAcceptedAt < Number.POSITIVE_INFINITY;
  }

  /** Notes a call with a token of the run, answered or not. */
  noteCall(exchange: Exchange): void {
    this.calls.note(exchange);
    if (exchange.answer === null) return;
    const { status } = exchange.answer;
    if (isOtherSuccess({ status })) this.otherSuccesses.push(exchange);
    if ((exchange.retry > 0 && status !== 403) || isServerError(exchange)) this.failedCalls.push(exchange);
  }

  /** Whether an answer has a status of success other than 200, as a first page has: authorization/accepted judges that. */
  hasOtherSuccess(answer: Pick<ListAnswer, 'status'>): boolean {
    const ofFirst = this.otherSuccesses.some(({ request }) => !hasParameter(request.target, '$skip'));
    return ofFirst && isOtherSuccess(answer);
  }

  /** Notes what a call with the token in force came to, its repetitions included. */
  noteOutcome(exchange: Exchange): void {
    if (exchange.answer?.status === 200)
      this.firstAcceptedAt = Math.min(this.firstAcceptedAt, exchange.startedAt + exchange.durationMs);
    if (isServerError(exchange)) this.serverError = exchange;
  }
}
