import type { Exchange } from '../core/exchange.ts';
import { HttpClient } from '../http/http-client.ts';
import { proxyEnvironment } from '../http/proxy.ts';
import { Pseudonymizer } from '../provider/pseudonymizer.ts';
import { maskTokenAnswer } from '../provider/token-mask.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';

/** Sends the requests of a session by HTTP, or answers them from evidence. */
export type SessionClient = Pick<HttpClient, 'send' | 'signal' | 'sentCount' | 'close'>;

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
  return new HttpClient({
    limits: target.limits,
    tls: target.tls,
    origins: originsOf(target),
    env: proxyEnvironment(target, environment),
    signal: signal ?? undefined,
    mask: (exchange) => {
      const withoutToken = maskTokenAnswer(exchange, target);
      return pseudonymizer?.apply(withoutToken) ?? withoutToken;
    },
    onExchange,
  });
}
