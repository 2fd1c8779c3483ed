import { type HttpRequest, headerOf } from '../core/exchange.ts';
import { pathOf } from './circuit-breaker.ts';
import type { Trouble } from './retry.ts';

/**
 * Different requests of one shape that fail after all retries, after which no request of that shape is retried; the same
 * number holds for a path on which nothing succeeded since.
 */
const LASTING_BEFORE_NO_RETRY = 2;

/** Milliseconds spent on failed retries at one path, after which its requests are retried only once. */
const MOST_WAITED_IN_VAIN_MS = 3000;

/** The state of one path. */
interface PathState {
  /** When the latest request that succeeded was sent. */
  succeededAt: number;
  /** Requests that failed after all retries since then. */
  inVain: number;
  /** Milliseconds spent on retries of those; overlapping ones count once. */
  waitedMs: number;
  waitedUntil: number;
}

/**
 * Distinguishes outages from requests that the provider always fails to answer. An outage ends, so retries help. A request
 * that still fails after its retries is remembered: neither it nor requests of its shape are retried until one succeeds.
 *
 * Times are milliseconds as `performance.now()` gives them.
 */
export class OutageTracker {
  readonly #paths = new Map<string, PathState>();
  /** By shape: requests that failed since one of that shape was answered. */
  readonly #lasting = new Map<string, Set<string>>();
  /** Requests that failed, and were not answered since. */
  readonly #lastingRequests = new Set<string>();
  /** Credentials that were accepted at least once. */
  readonly #accepted = new Set<string>();

  /** Whether a retry may help. A 503, or a refused connection, is not specific to one request. */
  mayPass(request: HttpRequest, trouble: Trouble): boolean {
    if (trouble === 'broken') {
      if (this.#lastingRequests.has(keyOf(request))) return false;
      if (this.#stateOf(request).inVain >= LASTING_BEFORE_NO_RETRY) return false;
    }
    return (this.#lasting.get(this.#shapeOf(request))?.size ?? 0) < LASTING_BEFORE_NO_RETRY;
  }

  /** Whether retries at the path of a request failed for so long that it is hardly an outage. */
  isLasting(request: HttpRequest): boolean {
    return this.#stateOf(request).waitedMs >= MOST_WAITED_IN_VAIN_MS;
  }

  /** Whether any request to the path succeeded. */
  hasSucceeded(request: HttpRequest): boolean {
    return this.succeededSince(request, Number.NEGATIVE_INFINITY);
  }

  /** Whether a request to the path succeeded that was sent after `time`. */
  succeededSince(request: HttpRequest, time: number): boolean {
    return this.#stateOf(request).succeededAt > time;
  }

  /** Records an answer that needs no retry. */
  answered(request: HttpRequest, status: number, sentAt: number): void {
    if (this.#lastingRequests.size > 0) this.#lastingRequests.delete(keyOf(request));
    if (this.#lasting.size > 0) this.#lasting.delete(this.#shapeOf(request));
    if (status < 200 || status > 299) return;
    const state = this.#stateOf(request);
    state.succeededAt = Math.max(state.succeededAt, sentAt);
    state.inVain = 0;
    this.#accepted.add(credentialsOf(request));
  }

  /**
   * Records a request that failed after all retries.
   *
   * @param since when it failed first
   */
  lasted(request: HttpRequest, since: number): void {
    const shape = this.#shapeOf(request);
    const known = this.#lasting.get(shape) ?? new Set();
    this.#lasting.set(shape, known.add(keyOf(request)));
    this.#lastingRequests.add(keyOf(request));
    const state = this.#stateOf(request);
    state.inVain += 1;
    const now = performance.now();
    state.waitedMs += now - Math.max(since, state.waitedUntil);
    state.waitedUntil = now;
  }

  /**
   * What requests have in common that fail for one reason: everything but numbers. If their credentials were never
   * accepted: method and origin only.
   */
  #shapeOf(request: HttpRequest): string {
    const accepted = this.#accepted.has(credentialsOf(request));
    const asked = accepted ? request.target.replaceAll(/=-?\d+/g, '=#') : null;
    return JSON.stringify([request.method, request.origin, asked]);
  }

  #stateOf(request: HttpRequest): PathState {
    const path = pathOf(request);
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const state: PathState = {
      succeededAt: Number.NEGATIVE_INFINITY,
      inVain: 0,
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
