import type { Exchange, HttpRequest } from '../core/exchange.ts';
import { HttpClient } from '../http/http-client.ts';
import { proxyEnvironment } from '../http/proxy.ts';
import type { SendOptions } from '../http/request.ts';
import { Pseudonymizer } from '../provider/pseudonymizer.ts';
import { maskTokenAnswer } from '../provider/token-mask.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';

/** Sends the requests of a session by HTTP, or answers them from evidence. */
export interface SessionClient {
  /** Never throws because of a provider. The requester is the requirement whose check sends the request. */
  send(request: HttpRequest, options: SendOptions): Promise<Exchange>;
  /** Aborted when no more requests may be sent. */
  readonly signal: AbortSignal;
  /** Requests sent so far. */
  readonly sentCount: number;
  close(): Promise<void>;
}

/** Constructor options of a session's client. */
export interface SessionClientParts {
  readonly target: Target;
  /** Environment variables for proxies. */
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the client. */
  readonly signal: AbortSignal | null;
  /**
   * Called with every completed exchange and the check that requested it. The client returns the exchange
   * when the promise resolves.
   */
  readonly onExchange: (exchange: Exchange, check: string | null) => unknown;
}

/** A client that sends by HTTP, and masks exchanges before they are recorded and judged. */
export function httpClient({ target, environment, signal, onExchange }: SessionClientParts): SessionClient {
  const pseudonymizer = target.evidence === 'full' ? null : new Pseudonymizer(target);
  const masked = new WeakMap<Exchange, Exchange>();
  const mask = (exchange: Exchange): Exchange => {
    const known = masked.get(exchange);
    if (known !== undefined) return known;
    const withoutToken = maskTokenAnswer(exchange, target);
    const result = pseudonymizer === null ? withoutToken : pseudonymizer.apply(withoutToken);
    // Only exchanges that masking changed have an entry: a large WeakMap slows down garbage collection.
    if (result !== exchange) masked.set(exchange, result);
    return result;
  };
  const client = new HttpClient({
    limits: target.limits,
    tls: target.tls,
    origins: originsOf(target),
    env: proxyEnvironment(target, environment),
    signal: signal ?? undefined,
    onExchange: (exchange, check) => onExchange(mask(exchange), check),
  });
  return {
    send: async (request, options) => {
      const { onAnswer } = options;
      const onMaskedAnswer = onAnswer && ((exchange: Exchange) => onAnswer(mask(exchange)));
      return mask(await client.send(request, { ...options, onAnswer: onMaskedAnswer }));
    },
    signal: client.signal,
    get sentCount() {
      return client.sentCount;
    },
    close: () => client.close(),
  };
}
