import { type HttpRequest, headerOf } from '../core/exchange.ts';
import { pathOf } from './circuit-breaker.ts';
import type { Trouble } from './retry.ts';

/**
 * Different requests of one shape that stay broken after all repetitions, from which on none of that shape is repeated;
 * and the same of a path on which nothing succeeded meanwhile.
 */
const LASTING_BEFORE_NO_RETRY = 2;

/** Milliseconds of waiting in vain for one path from which on its requests are repeated once, and soon. */
const MOST_WAITED_IN_VAIN_MS = 3000;

/** What is known of one path. */
interface PathState {
  /** When the latest request that succeeded was sent. */
  succeededAt: number;
  /** Requests that stayed broken since. */
  inVain: number;
  /** Milliseconds in which requests were repeated that stayed broken, however many at a time. */
  waitedMs: number;
  waitedUntil: number;
}

/**
 * Tells outages from requests that the provider always fails to answer. An outage ends, so repeating helps; what stays
 * broken is remembered, and neither it nor requests of its shape are repeated until one of them is answered.
 *
 * Times are milliseconds as `performance.now()` gives them.
 */
export class OutageTracker {
  readonly #paths = new Map<string, PathState>();
  /** By shape: requests that stayed broken since one of that shape was answered. */
  readonly #lasting = new Map<string, Set<string>>();
  /** Requests that stayed broken, and were not answered since. */
  readonly #lastingRequests = new Set<string>();
  /** Credentials with which any request succeeded. */
  readonly #accepted = new Set<string>();

  /** Whether repeating a request may help. A 503, or a refused connection, speaks of no single request. */
  mayPass(request: HttpRequest, trouble: Trouble): boolean {
    if (trouble === 'broken') {
      if (this.#lastingRequests.has(keyOf(request))) return false;
      if (this.#standingOf(request).inVain >= LASTING_BEFORE_NO_RETRY) return false;
    }
    return (this.#lasting.get(this.#shapeOf(request))?.size ?? 0) < LASTING_BEFORE_NO_RETRY;
  }

  /** Whether waiting for the path of a request was in vain for so long that it is hardly an outage. */
  isLasting(request: HttpRequest): boolean {
    return this.#standingOf(request).waitedMs >= MOST_WAITED_IN_VAIN_MS;
  }

  /** Whether any request to its path succeeded. */
  hasSucceeded(request: HttpRequest): boolean {
    return this.succeededSince(request, Number.NEGATIVE_INFINITY);
  }

  /** Whether a request to its path succeeded that was sent after that time. */
  succeededSince(request: HttpRequest, time: number): boolean {
    return this.#standingOf(request).succeededAt > time;
  }

  /** Takes notice of an answer that is not broken. */
  answered(request: HttpRequest, status: number, sentAt: number): void {
    if (this.#lastingRequests.size > 0) this.#lastingRequests.delete(keyOf(request));
    if (this.#lasting.size > 0) this.#lasting.delete(this.#shapeOf(request));
    if (status < 200 || status > 299) return;
    const state = this.#standingOf(request);
    state.succeededAt = Math.max(state.succeededAt, sentAt);
    state.inVain = 0;
    this.#accepted.add(credentialsOf(request));
  }

  /**
   * Takes notice of a request that is broken after all its repetitions.
   *
   * @param since when it was broken first
   */
  lasted(request: HttpRequest, since: number): void {
    const shape = this.#shapeOf(request);
    const known = this.#lasting.get(shape) ?? new Set();
    this.#lasting.set(shape, known.add(keyOf(request)));
    this.#lastingRequests.add(keyOf(request));
    const state = this.#standingOf(request);
    state.inVain += 1;
    const now = performance.now();
    state.waitedMs += now - Math.max(since, state.waitedUntil);
    state.waitedUntil = now;
  }

  /**
   * What a request has in common with others that a provider fails to answer for one reason: all but numbers; where its
   * credentials were never accepted, all but the origin.
   */
  #shapeOf(request: HttpRequest): string {
    const accepted = this.#accepted.has(credentialsOf(request));
    const asked = accepted ? request.target.replaceAll(/=-?\d+/g, '=#') : null;
    return JSON.stringify([request.method, request.origin, asked]);
  }

  #standingOf(request: HttpRequest): PathState {
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
