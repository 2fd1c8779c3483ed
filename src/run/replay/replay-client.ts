import { setImmediate as drained, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Exchange, HttpRequest } from '../../core/exchange.ts';
import { getOrMake } from '../../core/maps.ts';
import type { Results } from '../../core/results.ts';
import { Undecided } from '../../core/undecided.ts';
import { Redactor } from '../../evidence/redaction/redactor.ts';
import { Restorer } from '../../evidence/secret-facts.ts';
import { Stop } from '../../http/failure.ts';
import { asSent, type SendOptions } from '../../http/request.ts';
import type { SessionClient, SessionClientParts } from '../session.ts';
import { type Attempt, keyOf, type RecordedRun } from './recorded-run.ts';

/** A request without an answer in the evidence. */
export interface Missing {
  /** Such as `GET /v1/printers`. */
  readonly request: string;
  /** The requirement whose check sends it; null if none does. */
  readonly check: string | null;
}

interface PendingRequest {
  /** Its exchanges that were not delivered yet; at least one. */
  readonly attempts: Attempt[];
  readonly request: HttpRequest;
  readonly check: string | null;
  readonly onAnswer: SendOptions['onAnswer'];
  readonly parts: SessionClientParts;
  readonly answer: (exchange: Exchange) => void;
}

/**
 * Most milliseconds that a replay of a stopped run waits for the requests in progress at the stop. The limit
 * is reached only if the evidence was altered or another build sends other requests.
 */
const MAX_WAIT_FOR_STOP_MS = 2000;

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/**
 * Answers requests from evidence instead of a provider, with the clock of the recorded run. Answers come in the recorded order,
 * each after the effects of the previous one have settled, so that parallel checks send their requests in the recorded order.
 */
export class ReplayClient {
  readonly missing: Missing[] = [];
  /** Its labels are those of the evidence. */
  redactor = new Redactor();
  /** By the name of the target: secrets of several targets have the same labels. */
  readonly #restorers = new Map<string, Restorer>();
  readonly #run: RecordedRun;
  readonly #endsAt: number;
  readonly #pending = new Set<PendingRequest>();
  readonly #timers = new Set<Timer>();
  readonly #stop = new AbortController();
  readonly #interruption = new AbortController();
  readonly #targets = new Set<string>();
  #now: number;

  constructor(run: RecordedRun, { startedAt, finishedAt, complete }: Results['run']) {
    this.#run = run;
    this.#now = Date.parse(startedAt);
    this.#endsAt = complete ? Number.POSITIVE_INFINITY : Date.parse(finishedAt);
  }

  /** Aborted at the point at which the user stopped the run. */
  get interruption(): AbortSignal {
    return this.#interruption.signal;
  }

  /** Returns the time of the last answer; waiting takes no time. */
  readonly clock: Clock = {
    now: () => this.#now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const end = signal ?? this.#interruption.signal;
        const timer: Timer = {
          at: this.#now + Math.max(0, milliseconds),
          fire: () => {
            end.removeEventListener('abort', stopped);
            resolve();
          },
        };
        // Without a signal, the end of the run only shortens the pause.
        const stopped = (): void => {
          this.#timers.delete(timer);
          if (signal === null) resolve();
          else reject(signal.reason);
        };
        if (end.aborted) return stopped();
        end.addEventListener('abort', stopped, { once: true });
        this.#timers.add(timer);
      }),
  };

  /** What restores the secrets of a target, its own one for each. */
  restorerOf(target: string): Restorer {
    return getOrMake(this.#restorers, target, () => new Restorer());
  }

  readonly connect = (parts: SessionClientParts): SessionClient => {
    let sent = 0;
    this.#targets.add(parts.target.name);
    return {
      signal: this.#stop.signal,
      get sentCount() {
        return sent;
      },
      send: (request, options = {}) => {
        sent += 1;
        return this.#request(request, options, parts);
      },
      close: () => Promise.resolve(),
    };
  };

  /** Answers requests until the work is done. */
  async drive<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    work.then(done, done);
    for (;;) {
      await drained();
      if (isDone) return work;
      // If no request or timer is pending, the work does something else, such as loading a module.
      if (!(await this.#step())) await sleep(1);
    }
  }

  #request(
    request: HttpRequest,
    { requester: check = null, onAnswer }: SendOptions,
    parts: SessionClientParts,
  ): Promise<Exchange> {
    const key = keyOf(parts.target.name, this.redactor.redactRequest(request));
    const chain = this.#run.claim(key, check);
    if (chain === null) {
      const requestLine = this.redactor.redact(`${request.method} ${request.target}`);
      this.missing.push({ request: requestLine, check });
      return Promise.reject(
        new Undecided({ kind: 'interrupted' }, `the evidence contains no answer to ${requestLine}`),
      );
    }
    const attempts = [...chain.attempts];
    return new Promise((answer) => this.#pending.add({ attempts, request, check, onAnswer, parts, answer }));
  }

  async #step(): Promise<boolean> {
    const pending = first(this.#pending, ({ attempts }) => nextOf(attempts).index);
    const next = pending === null ? null : nextOf(pending.attempts);
    const timer = first(this.#timers, ({ at }) => at);
    if (timer !== null && (next === null || timer.at <= next.endedAt)) {
      if (timer.at > this.#endsAt) return await this.#halt(Stop.interrupted());
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.fire();
      return true;
    }
    if (pending === null || next === null) return false;
    if (next.stop !== null && !this.#stop.signal.aborted) {
      const { maxRunSeconds } = pending.parts.target.limits;
      return await this.#halt(
        next.stop === 'time-limit' ? Stop.outOfTime(maxRunSeconds) : Stop.interrupted(),
      );
    }
    await this.#deliver(pending);
    return true;
  }

  // Waits until all requests in progress at the stop are sent; checks need different numbers of event loop turns for that.
  async #halt(stop: Stop): Promise<boolean> {
    const until = performance.now() + MAX_WAIT_FOR_STOP_MS;
    while (this.#run.isInProgress(this.#targets) && performance.now() < until) await sleep(1);
    this.#stop.abort(stop);
    if (stop.code === 'interrupted') this.#interruption.abort(stop);
    return true;
  }

  // Delivers one exchange, since others may have been recorded between a request and its retry.
  async #deliver(pending: PendingRequest): Promise<void> {
    const { attempts, request, check, onAnswer, parts, answer } = pending;
    const { exchange } = await this.#run.entry(nextOf(attempts).index, ({ tokens }) => {
      // Several targets may be given the same token.
      for (const restorer of this.#restorers.values())
        for (const facts of tokens) this.redactor.adoptToken(restorer.learn(facts), facts.label);
    });
    const restored = this.restorerOf(parts.target.name).answer(exchange);
    const delivered = { ...exchange, request: asSent(request), answer: restored };
    this.#now = Math.max(this.#now, exchange.startedAt + exchange.durationMs);
    const recorded = parts.onExchange(delivered, check);
    if (delivered.answer !== null) onAnswer?.(delivered);
    await recorded;
    attempts.shift();
    if (attempts.length > 0) return;
    this.#pending.delete(pending);
    answer(delivered);
  }
}

function nextOf(attempts: readonly Attempt[]): Attempt {
  return attempts[0] as Attempt;
}

function first<Item>(items: ReadonlySet<Item>, position: (item: Item) => number): Item | null {
  let found: Item | null = null;
  for (const item of items) if (found === null || position(item) < position(found)) found = item;
  return found;
}
