import {
  type Exchange,
  type Failure,
  type HttpAnswer,
  type HttpRequest,
  headerOf,
} from '../../core/exchange.ts';
import { getOrMake } from '../../core/maps.ts';
import type { Limits } from '../../target/target.ts';
import { failure } from '../failure.ts';

/** Why a request may be retried. */
export type Trouble =
  | 'throttled' // a rate limit
  | 'unavailable' // 503, or a refused connection
  | 'broken'; // another status that an outage or a connection may cause, a lost connection, or a truncated answer

/** Consecutive failures of a path, each after all retries, before its requests are no longer retried. */
const FAILURES_BEFORE_NO_RETRY = 3;
/** Consecutive failures of a path before no more requests are sent to it. */
const FAILURES_BEFORE_OPEN = 12;
/**
 * Different requests of one shape that must fail after all retries before that shape is no longer retried.
 * The same number applies to a path on which no request succeeded since.
 */
const BROKEN_BEFORE_NO_RETRY = 2;
/** Milliseconds of failed retries on a path after which its requests are retried only once. */
const MAX_FAILED_RETRIES_MS = 3000;

type TimeLimits = Pick<Limits, 'answerTimeoutMs' | 'connectTimeoutMs' | 'retries'>;

class PathState {
  /** Consecutive failures: throttled, or unavailable after all retries. */
  failures = 0;
  /** Status of the last failure; null for a refused connection. */
  lastStatus: number | null = null;
  timedOut: boolean = false;
  /** When the latest successful request was sent. */
  succeededAt = Number.NEGATIVE_INFINITY;
  /** Requests that failed after all retries since then, except throttled ones. */
  failedRequests = 0;
  /** Milliseconds of the whole run spent on retries that failed, except of throttled requests; overlapping waits count once. */
  waitedMs = 0;
  waitedUntil = 0;
}

/**
 * What the requests so far show of the paths of a provider.
 *
 * No more is sent to a path that does not answer. Otherwise a provider that lets every request time out, or always
 * answers 429, would delay a run by that time for each request. Time in which requests ran into `answerTimeoutMs` or
 * `connectTimeoutMs` counts once, however many requests waited at the same time. When it reaches `retries - 1` whole
 * timeouts (at least one), paths with a timeout get no further requests, so a run loses at most `retries` timeouts.
 *
 * Outages are distinguished from requests that always fail. An outage ends, so retries help. A request that still fails
 * after its retries is remembered: neither it nor requests of its shape are retried until one succeeds.
 *
 * Times are in milliseconds, from `performance.now()`.
 */
export class PathHealth {
  readonly #limits: TimeLimits;
  readonly #paths = new Map<string, PathState>();
  /** Requests that failed, by shape, since a request of that shape was answered. */
  readonly #failedByShape = new Map<string, Set<string>>();
  /** Requests that failed and were not answered since. */
  readonly #failedRequests = new Set<string>();
  /** Origins and statuses of refusals with a Retry-After that was obeyed in vain. */
  readonly #refusedAgain = new Set<string>();
  /** Credentials that were accepted at least once. */
  readonly #accepted = new Set<string>();
  #lostMs = 0;
  #lostUntil = 0;

  constructor(limits: TimeLimits) {
    this.#limits = limits;
  }

  /** Why no more requests are sent to the path of a request; null if it may be sent. */
  refusal(request: HttpRequest): Failure | null {
    const { failures, lastStatus, timedOut } = this.#stateOf(request);
    const where = `nothing more was sent to ${pathOf(request)}`;
    if (failures >= FAILURES_BEFORE_OPEN) {
      const last = lastStatus === null ? 'a refused connection' : `status ${lastStatus}`;
      return {
        ...failure(
          'retry-later',
          `${where}: ${failures} requests in a row failed, the last one with ${last}`,
        ),
        ...(lastStatus === null ? {} : { status: lastStatus }),
      };
    }
    if (!timedOut || this.#lostMs < this.#maxLostMs()) return null;
    const seconds = Math.round(this.#lostMs / 100) / 10;
    return failure('retry-later', `${where}: ${seconds} s were spent on requests that timed out`);
  }

  /** Whether a request may be retried: false if retries did not help earlier requests of its path. */
  mayRetry(request: HttpRequest): boolean {
    return this.#stateOf(request).failures < FAILURES_BEFORE_NO_RETRY;
  }

  /** Whether waiting did not help an earlier request that was refused so: some servers put Retry-After into all refusals. */
  isRefusedAgain({ request, answer }: Exchange): boolean {
    return answer !== null && mayBeNoLimit(answer) && this.#refusedAgain.has(refusalOf(request, answer));
  }

  /** Whether a retry may help. A 503 or a refused connection is not specific to one request. */
  mayRecover(request: HttpRequest, trouble: Trouble): boolean {
    if (trouble === 'broken') {
      if (this.#failedRequests.has(keyOf(request))) return false;
      if (this.#stateOf(request).failedRequests >= BROKEN_BEFORE_NO_RETRY) return false;
    }
    return (this.#failedByShape.get(this.#shapeOf(request))?.size ?? 0) < BROKEN_BEFORE_NO_RETRY;
  }

  /** Whether retries on the path of a request have failed for too long to be an outage. */
  isLasting(request: HttpRequest): boolean {
    return this.#stateOf(request).waitedMs >= MAX_FAILED_RETRIES_MS;
  }

  /** When the latest successful request to the path was sent; -Infinity if none was. */
  succeededAt(request: HttpRequest): number {
    return this.#stateOf(request).succeededAt;
  }

  /** Records an answer that needs no retry. */
  answered(request: HttpRequest, status: number, sentAt: number): void {
    if (this.#failedRequests.size > 0) this.#failedRequests.delete(keyOf(request));
    if (this.#failedByShape.size > 0) this.#failedByShape.delete(this.#shapeOf(request));
    if (status < 200 || status > 299) return;
    const state = this.#stateOf(request);
    state.succeededAt = Math.max(state.succeededAt, sentAt);
    state.failedRequests = 0;
    this.#accepted.add(credentialsOf(request));
  }

  /**
   * Records the final result of a request, after its retries.
   *
   * @param retries.since when it first failed
   * @param retries.hasObeyed whether it was retried after the time that an answer asked to wait
   */
  record(
    { request, answer, ...exchange }: Exchange,
    trouble: Trouble | null,
    { since, hasObeyed }: { readonly since: number; readonly hasObeyed: boolean },
  ): void {
    const state = this.#stateOf(request);
    const code = exchange.failure?.code;
    if (trouble === 'broken' || trouble === 'unavailable') this.#noteFailed(request, state, since);
    if (code === 'answer-timeout' || code === 'connect-timeout' || this.#isHandshakeTimeout(exchange)) {
      state.timedOut = true;
      this.#lose(exchange.startedAt, exchange.startedAt + exchange.durationMs);
    } else if (trouble === 'throttled' || trouble === 'unavailable') {
      state.failures += 1;
      state.lastStatus = answer?.status ?? null;
      if (answer !== null && hasObeyed && mayBeNoLimit(answer))
        this.#refusedAgain.add(refusalOf(request, answer));
    } else if (answer !== null) {
      state.failures = 0;
    }
  }

  #noteFailed(request: HttpRequest, state: PathState, since: number): void {
    getOrMake(this.#failedByShape, this.#shapeOf(request), () => new Set()).add(keyOf(request));
    this.#failedRequests.add(keyOf(request));
    state.failedRequests += 1;
    const now = performance.now();
    state.waitedMs += now - Math.max(since, state.waitedUntil);
    state.waitedUntil = now;
  }

  #lose(from: number, until: number): void {
    this.#lostMs += Math.max(0, until - Math.max(from, this.#lostUntil));
    this.#lostUntil = Math.max(this.#lostUntil, until);
  }

  // Its code is that of other failures of TLS, because it has the same causes. A timer may fire early.
  #isHandshakeTimeout({ failure, durationMs }: Pick<Exchange, 'failure' | 'durationMs'>): boolean {
    return failure?.code === 'tls' && durationMs >= 0.95 * this.#limits.connectTimeoutMs;
  }

  // Slightly less than whole timeouts: a timer may fire early.
  #maxLostMs(): number {
    return 0.95 * this.#limits.answerTimeoutMs * Math.max(1, this.#limits.retries - 1);
  }

  /**
   * The shape that requests failing for one reason share: the request without numbers; only method and origin
   * if its credentials were never accepted.
   */
  #shapeOf(request: HttpRequest): string {
    const accepted = this.#accepted.has(credentialsOf(request));
    const target = accepted ? request.target.replaceAll(/=-?\d+/g, '=#') : null;
    return JSON.stringify([request.method, request.origin, target]);
  }

  #stateOf(request: HttpRequest): PathState {
    return getOrMake(this.#paths, pathOf(request), () => new PathState());
  }
}

function pathOf({ origin, target }: HttpRequest): string {
  return origin + (target.split('?', 1)[0] ?? '');
}

/** Whether only Retry-After says that a limit refused the request: 429 and 503 say so by themselves. */
function mayBeNoLimit({ status, headers }: HttpAnswer): boolean {
  return status < 500 && status !== 429 && headerOf(headers, 'retry-after') !== null;
}

function refusalOf({ origin }: HttpRequest, { status }: HttpAnswer): string {
  return `${origin} ${status}`;
}

function keyOf(request: HttpRequest): string {
  return JSON.stringify([request.method, request.origin, request.target, credentialsOf(request)]);
}

function credentialsOf({ headers, body }: HttpRequest): string {
  return JSON.stringify([headerOf(headers, 'authorization'), body]);
}
