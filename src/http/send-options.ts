import type { Exchange } from '../core/exchange.ts';

/** The limit for the body of an answer. */
export type BodyLimit = 'maxBodyBytes' | 'maxTokenBytes';

/** How a request is sent. */
export interface SendOptions {
  /** Limit for the answer's body; maxBodyBytes by default. */
  readonly bodyLimit?: BodyLimit;
  /** Whether it is sent before queued requests: for the pages of a traversal, which depend on each other. */
  readonly urgent?: boolean;
  /** Maximum number of retries, if lower than `limits.retries`; a function is called before each retry. */
  readonly maxRetries?: number | (() => number);
  /** Whether a 429 or 503 slows down other requests of its origin; not if all requests of its kind are answered so. */
  readonly slowsDown?: (() => boolean) | undefined;
  /** A further status with which the provider limits requests: then the request is retried as after 429. */
  readonly limitStatus?: number | undefined;
  /** Whether it may be retried after a lost connection or a 5xx; GET and HEAD always may be. */
  readonly idempotent?: boolean;
  /**
   * Whether it is sent over one connection that is kept for such requests, after the earlier ones; not if it has the
   * header `Connection: close`. The caller sends one such request after the other: waiting counts as connecting.
   */
  readonly overSingle?: boolean;
  /** Passed to `onExchange`. */
  readonly requester?: string | null;
  /**
   * Called with every answer to this request as soon as it is recorded, retries included. Returns whether it
   * started another request; then that request is sent before `send` resolves.
   */
  readonly onAnswer?: ((exchange: Exchange) => boolean) | undefined;
}
