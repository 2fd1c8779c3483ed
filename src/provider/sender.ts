import type { Exchange, HttpRequest } from '../core/exchange.ts';
import type { SendOptions } from '../http/request.ts';

/** How a request is sent, apart from who sends it. */
export type SenderOptions = Omit<SendOptions, 'requester'>;

/** Sends one request and resolves to its exchange; never throws. It uses HTTP or recorded evidence. */
export interface Sender {
  send(request: HttpRequest, senderOptions?: SenderOptions): Promise<Exchange>;
}

/** Sends nothing: every request is rejected. */
export const OFFLINE: Sender = { send: () => Promise.reject(new Error('nothing is sent offline')) };

/**
 * Thrown if a request of a check has no answer. It is no breach: the network, a limit or the
 * harness stood in the way.
 */
export class NoAnswer extends Error {
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    super(exchange.failure?.message ?? 'no answer came');
    this.name = 'NoAnswer';
    this.exchange = exchange;
  }
}

/**
 * Options for a request that must not be repeated or slow down others, once another request of its kind was answered
 * 429 or 503 in spite of its retries.
 */
export function withoutRetriesIf(isInVain: () => boolean): Pick<SenderOptions, 'maxRetries' | 'slowsDown'> {
  return { maxRetries: () => (isInVain() ? 0 : Number.POSITIVE_INFINITY), slowsDown: () => !isInVain() };
}
