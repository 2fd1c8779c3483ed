import { AsyncLocalStorage } from 'node:async_hooks';
import type { Exchange, HttpRequest } from '../core/exchange.ts';
import { wasSent } from '../core/traffic.ts';
import type { SendOptions } from '../http/request.ts';
import type { Sender } from '../provider/sender.ts';

const current = new AsyncLocalStorage<Requester>();

/** The check or observation that runs now; null outside of {@link Requester.run}. */
export function currentRequester(): Requester | null {
  return current.getStore() ?? null;
}

/** A check or observation with its requests and the answers that it uses. */
export class Requester {
  readonly id: string;
  /** The time span of each request; null for a request that was not sent because the run stopped while it was queued. */
  readonly #sent: Promise<Span | null>[] = [];
  readonly #uses: Set<number>;
  readonly #traversals = new Set<readonly number[]>();

  /** @param uses receives the numbers of the exchanges whose answers are used */
  constructor(id: string, uses: Set<number>) {
    this.id = id;
    this.#uses = uses;
  }

  /** Runs work. Everything that it sends or uses, even later, counts for this requester. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  count(sending: Promise<Exchange>): void {
    const spanOf = ({ number, connection, answer, startedAt, durationMs }: Exchange): Span | null => {
      this.#uses.add(number);
      if (!wasSent({ connection, answered: answer !== null })) return null;
      return { from: startedAt, to: startedAt + durationMs };
    };
    this.#sent.push(sending.then(spanOf, () => null));
  }

  use(exchanges: readonly number[]): void {
    // A check uses the same traversal many times; its exchanges are recorded only once.
    if (this.#traversals.has(exchanges)) return;
    if (exchanges.length > 1) this.#traversals.add(exchanges);
    for (const number of exchanges) this.#uses.add(number);
  }

  /** Returns how many of the requests so far were sent; waits for the last of them. */
  async requests(): Promise<number> {
    return (await this.#spans()).length;
  }

  /** Returns the milliseconds during which at least one of the requests so far was in flight; waits for the last of them. */
  async requestMs(): Promise<number> {
    let total = 0;
    let end = Number.NEGATIVE_INFINITY;
    for (const { from, to } of (await this.#spans()).toSorted((one, other) => one.from - other.from)) {
      total += Math.max(0, to - Math.max(from, end));
      end = Math.max(end, to);
    }
    return total;
  }

  async #spans(): Promise<readonly Span[]> {
    return (await Promise.all(this.#sent)).filter((span) => span !== null);
  }
}

/** Time span of a request, in milliseconds since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A sender whose requests count for the current requester. */
export function attributed(send: (request: HttpRequest, options: SendOptions) => Promise<Exchange>): Sender {
  return {
    send: (request, options = {}) => {
      const requester = currentRequester();
      if (requester === null) return send(request, options);
      const { onAnswer } = options;
      // The client calls `onAnswer` in the context of the connection, not of the request.
      const bound = onAnswer && ((exchange: Exchange) => requester.run(() => onAnswer(exchange)));
      const sending = send(request, { ...options, requester: requester.id, onAnswer: bound });
      requester.count(sending);
      return sending;
    },
  };
}
