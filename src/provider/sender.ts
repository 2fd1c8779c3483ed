import type { Exchange, HttpRequest } from '../core/exchange.ts';

/**
 * Sends one request and tells what came of it; never throws. The wire is one, recorded evidence another. The limit
 * is the one of the target file that bounds the body of the answer. An urgent request, which others follow one by one,
 * is sent before those that wait.
 */
export interface Sender {
  send(
    request: HttpRequest,
    bodyLimit?: 'maxBodyBytes' | 'maxTokenBytes',
    urgent?: boolean,
  ): Promise<Exchange>;
}

/**
 * Thrown where a check asks for an answer and none came. It is no breach: the network, a limit or the
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
