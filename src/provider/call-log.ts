import type { Exchange } from '../core/exchange.ts';
import { isForbidden, isOfGateway, isOtherRefusal } from './throttled-answer.ts';

/** Minimum number of failed calls of an outage: a fault in every n-th call must not count as one. */
const MIN_FAILED = 3;
/** Minimum number of calls that are answered after an outage. */
const MIN_ANSWERED = 10;
/** Statuses of calls that may be refused because of their token, or because there are too many. */
const OF_CALLERS: readonly number[] = [401, 429];
/** Statuses of calls that may be refused because of their parameters. */
const OF_PARAMETERS: readonly number[] = [400, 414, 422];

/** A call with a token of the run; times are in milliseconds since the epoch. */
interface Call {
  readonly exchange: number;
  readonly target: string;
  /** Null if there was no complete answer. */
  readonly status: number | null;
  /** Whether it was answered 401, or 403 without Retry-After. */
  readonly isRefused: boolean;
  readonly from: number;
  readonly to: number;
}

/** The last call with a request target, which failed. */
interface FailedCall {
  readonly exchange: number;
  readonly status: number;
  /** Whether an earlier call with that target was answered 200. */
  readonly wasAnswered: boolean;
}

const NO_CALL: Pick<Call, 'exchange' | 'status'> = { exchange: 0, status: null };

/**
 * When calls with a token were answered, and when they failed.
 *
 * An outage is a time span in which several calls failed and none was answered, and after which many were answered. Failures
 * that it explains prove nothing. Refusals of the caller (401, 429) are no failures.
 */
export class CallLog {
  readonly #calls = new Map<number, Call>();
  /** Calls that were answered with a list. */
  readonly #withList = new Set<number>();
  /** Failed calls that an outage explains. */
  readonly #explained = new Set<number>();
  /** Request targets that a gateway refuses for good. */
  readonly #lasting = new Set<string>();

  /** Adds a call with a token of the run. */
  note(exchange: Exchange): void {
    const { number, request, answer, startedAt, durationMs } = exchange;
    this.#calls.set(number, {
      exchange: number,
      target: request.target,
      status: answer?.status ?? null,
      isRefused: answer?.status === 401 || isForbidden(exchange),
      from: startedAt,
      to: startedAt + durationMs,
    });
  }

  noteList(exchange: number): void {
    this.#withList.add(exchange);
  }

  /** How many calls in a row, up to the last one, were refused with 401 or 403. Calls with other answers do not count. */
  get refusedAtEnd(): number {
    const answered = [...this.#calls.values()].filter(({ status, isRefused }) => isRefused || status === 200);
    return answered.length - 1 - answered.findLastIndex(({ isRefused }) => !isRefused);
  }

  /** The status of the last call before an exchange; null if it had no complete answer, or if there is none. */
  statusBefore(exchange: number): number | null {
    const before = [...this.#calls.values()].filter((call) => call.exchange < exchange);
    return before.reduce((last, call) => (call.exchange > last.exchange ? call : last), NO_CALL).status;
  }

  /**
   * How many calls were redirected or refused, other than with 401, 403 and 429, although the same target was answered 200
   * before.
   */
  get refusedAgain(): number {
    const answered = new Map<string, number>();
    for (const { target, to } of this.#answered)
      answered.set(target, Math.min(to, answered.get(target) ?? Number.POSITIVE_INFINITY));
    return [...this.#calls.values()].filter(
      ({ status, target, from }) =>
        status !== null &&
        isOtherRefusal(status) &&
        from >= (answered.get(target) ?? Number.POSITIVE_INFINITY),
    ).length;
  }

  /** Calls that were redirected or refused, other than with 401, 403 and 429, although the same target was answered 200 at another time. */
  get refusedNowAndThen(): readonly Call[] {
    const answered = new Set(this.#answered.map(({ target }) => target));
    return [...this.#calls.values()].filter(
      ({ status, target }) => status !== null && isOtherRefusal(status) && answered.has(target),
    );
  }

  among(exchanges: readonly number[]): readonly Call[] {
    return exchanges.flatMap((exchange) => this.#calls.get(exchange) ?? []);
  }

  /** Whether a call was answered whose target equals one of these, apart from the numbers in it. */
  wasAnswered(targets: ReadonlySet<string>): boolean {
    const shapes = new Set([...targets].map(shapeOf));
    return this.#answered.some(({ target }) => shapes.has(shapeOf(target)));
  }

  /** Request targets whose last call failed with a status, each with that call, and whether it was ever answered 200. */
  get failedLast(): ReadonlyMap<string, FailedCall> {
    const answered = new Set(this.#answered.map(({ target }) => target));
    const last = new Map<string, Call>();
    for (const call of this.#calls.values())
      if (call.from >= (last.get(call.target)?.from ?? 0)) last.set(call.target, call);
    return new Map(
      [...last].flatMap(([target, call]) => {
        const { exchange, status } = call;
        if (status === null || !isFailed(call)) return [];
        return [[target, { exchange, status, wasAnswered: answered.has(target) }]];
      }),
    );
  }

  /** Whether calls with these request targets failed in one time span, in which none of them was answered. */
  failedTogether(targets: ReadonlySet<string>): boolean {
    const failed = this.#failedWith(targets);
    return (
      failed.length > 0 && !this.#answered.some((call) => targets.has(call.target) && isWithin(call, failed))
    );
  }

  /** Notes that an outage explains the failed calls with these request targets, or all failed calls so far. */
  explain(targets: ReadonlySet<string> | 'all'): void {
    const failed = targets === 'all' ? this.#failed : this.#failedWith(targets);
    for (const { exchange } of failed) this.#explained.add(exchange);
  }

  /** Notes that a gateway refuses this request target while it answers others, so that no outage explains it. */
  noteLasting(target: string): void {
    this.#lasting.add(target);
  }

  isLasting(target: string): boolean {
    return this.#lasting.has(target);
  }

  /** Whether a gateway answered every call with this request target that it has no answer of the provider. */
  isRefusedByGateway(target: string): boolean {
    const calls = [...this.#calls.values()].filter((call) => call.target === target);
    return calls.length > 0 && calls.every(({ status }) => status !== null && isOfGateway(status));
  }

  /** Whether an outage explains that this call failed. */
  isExplained(exchange: number): boolean {
    return this.#explained.has(exchange);
  }

  /**
   * Whether outages explain every failed call: they were noted, or no call was answered between the first and the last
   * failure, and enough calls were answered later.
   */
  get hadOutage(): boolean {
    const failed = this.#failed.filter(
      ({ exchange, status }) => !this.#explained.has(exchange) && !OF_PARAMETERS.includes(status ?? 0),
    );
    if (failed.length === 0) return this.#explained.size > 0;
    if (failed.length < MIN_FAILED || this.#answered.some((call) => isWithin(call, failed))) return false;
    const lastStarted = Math.max(...failed.map(({ from }) => from));
    return this.#answered.filter(({ from }) => from > lastStarted).length >= MIN_ANSWERED;
  }

  /** Whether an outage may explain these answers without a list: no call was answered with one meanwhile. */
  mayBeOfOutage(exchanges: readonly number[]): boolean {
    const broken = this.among(exchanges);
    return !this.among([...this.#withList]).some((call) => isWithin(call, broken));
  }

  /** Whether any of these calls was in progress in a time span, in milliseconds of the clock of the run. */
  overlap(exchanges: readonly number[], begin: number, end: number): boolean {
    return this.among(exchanges).some(({ from, to }) => from < end && to > begin);
  }

  get answered(): number {
    return this.#answered.length;
  }

  get #answered(): readonly Call[] {
    return [...this.#calls.values()].filter(({ status }) => status === 200);
  }

  get #failed(): readonly Call[] {
    return [...this.#calls.values()].filter(isFailed);
  }

  #failedWith(targets: ReadonlySet<string>): readonly Call[] {
    return this.#failed.filter(({ target }) => targets.has(target));
  }
}

/** Whether a call failed, and neither its token nor a rate limit is the reason. */
export function isFailed({ status }: Pick<Call, 'status'>): boolean {
  return status === null || (status !== 200 && !OF_CALLERS.includes(status));
}

function shapeOf(target: string): string {
  return target.replaceAll(/=\d+/g, '=#');
}

/** Whether a call began after the first of others had ended, and ended before the last of them began. */
function isWithin({ from, to }: Call, others: readonly Call[]): boolean {
  const firstEnded = Math.min(...others.map((other) => other.to));
  const lastStarted = Math.max(...others.map((other) => other.from));
  return from > firstEnded && to < lastStarted;
}
