import type { Exchange, Header, HttpRequest } from '../core/exchange.ts';
import type { SendOptions } from '../http/request.ts';

/** How a request is sent, apart from who sends it. */
export type SenderOptions = Omit<SendOptions, 'requester'>;

/** Sends one request and resolves to its exchange; never throws. It uses HTTP or recorded evidence. */
export interface Sender {
  send(request: HttpRequest, senderOptions?: SenderOptions): Promise<Exchange>;
}

/** Sends nothing: every request is rejected. */
export const OFFLINE: Sender = { send: () => Promise.reject(new Error('nothing is sent offline')) };

/** Thrown if a request of a check has no answer. It is no breach: the network, a limit or the harness stood in the way. */
export class NoAnswer extends Error {
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    super(exchange.failure?.message ?? 'no answer came');
    this.name = 'NoAnswer';
    this.exchange = exchange;
  }
}

/** Thrown if a valid request around requests that must be refused has no answer: it says nothing about those. */
export class NoControl extends NoAnswer {}

/** How a list call departs from the normal one. */
export interface CallOptions {
  /** The request target; the plain list path if left out. */
  readonly target?: string;
  /** Value of the Authorization header; null for none. */
  readonly authorization: string | null;
  readonly headers?: readonly Header[];
  /** Names of normal headers to leave out or that `headers` replaces, in lower case. */
  readonly omittedHeaders?: readonly string[];
  /** Whether the names of the normal headers are sent in lower case, which mean the same (RFC 9110, 5.1). */
  readonly hasLowerCaseNames?: boolean;
  readonly body?: string;
  readonly senderOptions?: SenderOptions;
  /** GET if left out. */
  readonly method?: string;
}

/** What makes the client open a connection for a call, and close it after the answer. */
export const ON_NEW_CONNECTION: { readonly headers: readonly Header[] } = {
  headers: [['Connection', 'close']],
};

/** Which connection a call goes over. Simple clients ask without compression: a provider may use other code for it. */
export const OVER_CONNECTION = {
  kept: {},
  new: ON_NEW_CONNECTION,
  'new-uncompressed': {
    headers: [
      ['Connection', 'close'],
      ['Accept-Encoding', 'identity'],
    ],
  },
} satisfies { readonly [kind: string]: Pick<CallOptions, 'headers'> };

export type Connection = keyof typeof OVER_CONNECTION;

/** What makes the client send a call over the connection that it keeps for token requests. */
export const OVER_KEPT_CONNECTION: Pick<CallOptions, 'senderOptions'> = {
  senderOptions: { overSingle: true },
};
