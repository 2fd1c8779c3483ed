import { setImmediate as drained, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { Exchange, HttpRequest } from '../core/exchange.ts';
import { Undecided } from '../core/undecided.ts';
import type { Redactor } from '../evidence/redactor.ts';
import type { Restorer } from '../evidence/restorer.ts';
import { asSent } from '../http/request.ts';
import { Stop } from '../http/stop.ts';
import type { Manner } from '../provider/sender.ts';
import { type Chain, keyOf, type RecordedRun } from './recorded-run.ts';
import type { SessionClient, SessionClientParts } from './session.ts';

/** A request without an answer in the evidence. */
export interface Missing {
  /** Such as `GET /v1/printers`. */
  readonly request: string;
  /** The requirement whose check sends it; null if none does. */
  readonly check: string | null;
}

interface Ask {
  readonly chain: Chain;
  readonly request: HttpRequest;
  readonly check: string | null;
  readonly manner: Manner | undefined;
  readonly parts: SessionClientParts;
  readonly answer: (exchange: Exchange) => void;
}

/**
 * Milliseconds that a replay of a stopped run waits for the requests that were in progress at the stop. It
 * waits that long only if the evidence was altered or another build sends other requests.
 */
const MAX_WAIT_FOR_STOP_MS = 2000;

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/**
 * Answers requests from evidence instead of a provider, with the clock of the recorded run. Answers come in the
 * recorded order, each after the effects of the one before have settled, so that parallel checks send their
 * requests in the recorded order.
 */
export class ReplayClient {
  readonly missing: Missing[] = [];
  readonly #run: RecordedRun;
  #redactor: Redactor;
  readonly #restorer: Restorer;
  readonly #endsAt: number;
  readonly #asks = new Set<Ask>();
  readonly #timers = new Set<Timer>();
  readonly #stop = new AbortController();
  readonly #targets = new Set<string>();
  #now: number;

  /** `startsAt` and `endsAt` are in milliseconds since the epoch; the run was stopped at `endsAt` if not `complete`. */
  constructor(parts: {
    readonly run: RecordedRun;
    readonly redactor: Redactor;
    readonly restorer: Restorer;
    readonly startsAt: number;
    readonly endsAt: number;
    readonly complete: boolean;
  }) {
    this.#run = parts.run;
    this.#redactor = parts.redactor;
    this.#restorer = parts.restorer;
    this.#now = parts.startsAt;
    this.#endsAt = parts.complete ? Number.POSITIVE_INFINITY : parts.endsAt;
  }

  /** The time of the last answer; waiting takes no time. */
  readonly clock: Clock = {
    now: () => this.#now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const timer: Timer = { at: this.#now + Math.max(0, milliseconds), fire: resolve };
        const stopped = (): void => {
          this.#timers.delete(timer);
          reject(signal?.reason);
        };
        if (signal?.aborted === true) return stopped();
        signal?.addEventListener('abort', stopped, { once: true });
        this.#timers.add(timer);
      }),
  };

  /** Sets the redactor whose labels the evidence uses. */
  useRedactor(redactor: Redactor): void {
    this.#redactor = redactor;
  }

  /** A client for one target. */
  readonly connect = (parts: SessionClientParts): SessionClient => {
    let sent = 0;
    this.#targets.add(parts.target.name);
    return {
      signal: this.#stop.signal,
      get sentCount() {
        return sent;
      },
      send: (request, check, manner) => {
        sent += 1;
        return this.#ask(request, check, manner, parts);
      },
      close: () => Promise.resolve(),
    };
  };

  /** Answers requests until the work is done. */
  async drive<Result>(work: Promise<Result>): Promise<Result> {
    let over = false;
    const done = (): void => {
      over = true;
    };
    work.then(done, done);
    for (;;) {
      await drained();
      if (over) return work;
      // If nothing is requested or waiting, the work does something else, such as loading a module.
      if (!(await this.#step())) await sleep(1);
    }
  }

  #ask(
    request: HttpRequest,
    check: string | null,
    manner: Manner | undefined,
    parts: SessionClientParts,
  ): Promise<Exchange> {
    const key = keyOf(parts.target.name, this.#redactor.redactRequest(request));
    const chain = this.#run.claim(key, check);
    if (chain === null) {
      const asked = this.#redactor.redact(`${request.method} ${request.target}`);
      this.missing.push({ request: asked, check });
      return Promise.reject(
        new Undecided({ kind: 'interrupted' }, `the evidence holds no answer to ${asked}`),
      );
    }
    return new Promise((answer) => this.#asks.add({ chain, request, check, manner, parts, answer }));
  }

  async #step(): Promise<boolean> {
    const ask = first(this.#asks, ({ chain }) => chain.last);
    const timer = first(this.#timers, ({ at }) => at);
    if (timer !== null && (ask === null || timer.at <= ask.chain.endedAt)) {
      if (timer.at > this.#endsAt) return await this.#halt(Stop.interrupted());
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.fire();
      return true;
    }
    if (ask === null) return false;
    const { chain, parts } = ask;
    const { stop } = chain;
    if (stop !== null && !this.#stop.signal.aborted) {
      const { maxRunSeconds } = parts.target.limits;
      return await this.#halt(stop === 'time-limit' ? Stop.outOfTime(maxRunSeconds) : Stop.interrupted());
    }
    this.#asks.delete(ask);
    await this.#deliver(ask);
    return true;
  }

  // All requests that were in progress at the stop are sent before the stop; checks need different numbers of
  // event loop turns for that.
  async #halt(stop: Stop): Promise<boolean> {
    const until = performance.now() + MAX_WAIT_FOR_STOP_MS;
    while (this.#run.isUnderWay(this.#targets) && performance.now() < until) await sleep(1);
    this.#stop.abort(stop);
    return true;
  }

  async #deliver({ chain, request, check, manner, parts, answer }: Ask): Promise<void> {
    let delivered: Exchange | null = null;
    for (const place of chain.places) {
      const { exchange } = await this.#run.entry(place, ({ tokens }) => {
        for (const facts of tokens) this.#redactor.adoptToken(this.#restorer.learn(facts), facts.label);
      });
      delivered = { ...exchange, request: asSent(request), answer: this.#restorer.answer(exchange) };
      this.#now = Math.max(this.#now, exchange.startedAt + exchange.durationMs);
      const recorded = parts.onExchange(delivered, check);
      if (delivered.answer !== null) manner?.onAnswer?.(delivered);
      await recorded;
    }
    if (delivered !== null) answer(delivered);
  }
}

function first<Item>(items: ReadonlySet<Item>, place: (item: Item) => number): Item | null {
  let found: Item | null = null;
  for (const item of items) if (found === null || place(item) < place(found)) found = item;
  return found;
}
