import type { Exchange } from '../core/exchange.ts';
import type { Resource, Target } from '../target/target.ts';
import { AvailabilityLog } from './availability-log.ts';
import { KnownRecords } from './known-records.ts';
import type { ListPlace } from './link.ts';
import { LinkLog } from './link-log.ts';
import { type ItemReading, isOtherSuccess } from './page.ts';
import { isServerError } from './throttled-answer.ts';

/** A call that was refused, and the same with the same token, which was accepted right after. */
export interface RefusalInForce {
  readonly refused: Exchange;
  readonly accepted: Exchange;
}

/** What is known of a list. */
export class ListMemory {
  readonly place: ListPlace;
  reading: ItemReading | null = null;
  firstRefusal: Exchange | null = null;
  /** Milliseconds since the epoch at which a call with a token was answered 200 first. */
  openedAt = Number.POSITIVE_INFINITY;
  readonly refusals: RefusalInForce[] = [];
  /** Calls with a token that were answered 403 or 5xx, except 503, or only after a retry. */
  readonly failures: Exchange[] = [];
  /** Calls with a token that were answered with a status of success other than 200. */
  readonly otherSuccesses: Exchange[] = [];
  readonly links = new LinkLog();
  readonly availability = new AvailabilityLog();
  /** The token of each call that carried one, by the number of the exchange. */
  readonly tokenOf = new Map<number, string>();
  readonly openings: Exchange[] = [];
  readonly openingsElsewhere: Exchange[] = [];
  /**
   * The statuses, 429 or 503, of calls without an issued token that were answered so in a row, the first after its
   * retries.
   */
  throttledStatuses: readonly number[] = [];
  /** Calls without a token that were answered 401, by their request target. */
  readonly refusedWithout = new Map<string, Exchange>();
  serverError: Exchange | null = null;
  hasGivenPage = false;
  readonly records: KnownRecords;

  constructor(target: Target, resource: Resource) {
    const base = new URL(target.baseUrl);
    const basePath = base.pathname.replace(/\/$/, '');
    const longestLink = target.limits.maxLinkLength;
    this.place = { origin: base.origin, basePath, listPath: resource.path, longestLink };
    this.records = new KnownRecords(resource, basePath + resource.path, target);
  }

  /** Notes a call with a token of the run, answered or not. */
  noteCall(exchange: Exchange): void {
    this.availability.note(exchange);
    if (exchange.answer === null) return;
    const { status } = exchange.answer;
    if (isOtherSuccess({ status })) this.otherSuccesses.push(exchange);
    if (status === 403 || exchange.retry > 0 || isServerError(exchange)) this.failures.push(exchange);
  }
}
