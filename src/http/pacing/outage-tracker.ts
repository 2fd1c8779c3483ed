import { type HttpRequest, headerOf } from '../../core/exchange.ts';
import { pathOf } from './circuit-breaker.ts';
import type { Trouble } from './retry.ts';

/**
 * Different requests of one shape that must fail after all retries before that shape is no longer retried.
 * The same number applies to a path on which no request succeeded since.
 */
const FAILURES_BEFORE_NO_RETRY = 2;

/** Milliseconds of failed retries on a path after which its requests are retried only once. */
const MAX_FAILED_RETRIES_MS = 3000;

interface PathState {
  /** When the latest successful request was sent. */
  succeededAt: number;
  /** Requests that failed after all retries since then. */
  failedRequests: number;
  /** Milliseconds spent on their retries; overlapping waits count once. */
  waitedMs: number;
  waitedUntil: number;
}

/**
 * Distinguishes outages from requests that always fail. An outage ends, so retries help. A request that still
 * fails after its retries is remembered: neither it nor requests of its shape are retried until one succeeds.
 *
 * Times are in milliseconds, from `performance.now()`.
 */
export class OutageTracker {
  readonly #paths = new Map<string, PathState>();
  /** Requests that failed, by shape, since a request of that shape was answered. */
  readonly #failedByShape = new Map<string, Set<string>>();
  /** Requests that failed and were not answered since. */
  readonly #failedRequests = new Set<string>();
  /** Credentials that were accepted at least once. */
  readonly #accepted = new Set<string>();

  /** Whether a retry may help. A 503 or a refused connection is not specific to one request. */
  mayRecover(request: HttpRequest, trouble: Trouble): boolean {
    if (trouble === 'broken') {
      if (this.#failedRequests.has(keyOf(request))) return false;
      if (this.#stateOf(request).failedRequests >= FAILURES_BEFORE_NO_RETRY) return false;
    }
    return (this.#failedByShape.get(this.#shapeOf(request))?.size ?? 0) < FAILURES_BEFORE_NO_RETRY;
  }

  /** Whether retries on the path of a request have failed for too long to be an outage. */
  isLasting(request: HttpRequest): boolean {
    return this.#stateOf(request).waitedMs >= MAX_FAILED_RETRIES_MS;
  }

  /** Whether any request to the path succeeded. */
  hasSucceeded(request: HttpRequest): boolean {
    return this.succeededSince(request, Number.NEGATIVE_INFINITY);
  }

  /** Whether a request to the path that was sent after `time` succeeded. */
  succeededSince(request: HttpRequest, time: number): boolean {
    return this.#stateOf(request).succeededAt > time;
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
   * Records a request that failed after all retries.
   *
   * @param since when it first failed
   */
  failed(request: HttpRequest, since: number): void {
    const shape = this.#shapeOf(request);
    const known = this.#failedByShape.get(shape) ?? new Set();
    this.#failedByShape.set(shape, known.add(keyOf(request)));
    this.#failedRequests.add(keyOf(request));
    const state = this.#stateOf(request);
    state.failedRequests += 1;
    const now = performance.now();
    state.waitedMs += now - Math.max(since, state.waitedUntil);
    state.waitedUntil = now;
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
    const path = pathOf(request);
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const state: PathState = {
      succeededAt: Number.NEGATIVE_INFINITY,
      failedRequests: 0,
      waitedMs: 0,
      waitedUntil: 0,
    };
    this.#paths.set(path, state);
    return state;
  }
}

function keyOf(request: HttpRequest): string {
  return JSON.stringify([request.method, request.origin, request.target, credentialsOf(request)]);
}

function credentialsOf({ headers, body }: HttpRequest): string {
  return JSON.stringify([headerOf(headers, 'authorization'), body]);
}
