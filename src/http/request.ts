import { type Exchange, type Failure, type Header, type HttpRequest, headerOf } from '../core/exchange.ts';
import { packageVersion } from '../core/package-file.ts';
import { failure } from './failure.ts';

export type BodyLimit = 'maxBodyBytes' | 'maxTokenBytes';

/** How a request is sent. */
export interface SendOptions {
  /** Limit for the answer's body; maxBodyBytes by default. */
  readonly bodyLimit?: BodyLimit;
  /** Whether it is sent before queued requests: for the pages of a traversal, which depend on each other. */
  readonly isUrgent?: boolean;
  /** Maximum number of retries, if lower than `limits.retries`. */
  readonly maxRetries?: number;
  /**
   * Whether all requests of its kind are answered 429 or 503, in spite of retries: then it is not retried, and does not slow
   * down other requests of its origin. Called after each answer.
   */
  readonly isInVain?: () => boolean;
  /** A further status with which the provider limits requests: then the request is retried as after 429. */
  readonly limitStatus?: number | undefined;
  /** Whether it may be retried after a lost connection or a 5xx; GET and HEAD always may be. */
  readonly isIdempotent?: boolean;
  /**
   * Whether it is sent over one connection that is kept for such requests, after the earlier ones; not if it has the
   * header `Connection: close`. The caller sends one such request after the other: waiting counts as connecting.
   */
  readonly overSingle?: boolean;
  /** Passed to `onExchange`. */
  readonly requester?: string | null;
  /**
   * Called with every answer to this request as soon as it is recorded, retries included. A request that it starts
   * is sent before `send` resolves.
   */
  readonly onAnswer?: ((exchange: Exchange) => void) | undefined;
}

/**
 * The request as sent: the given headers, in their order and spelling, plus those that HTTP needs and the
 * caller omitted (Host, User-Agent, Accept-Encoding, Connection, Content-Length).
 */
export function asSent(request: HttpRequest): HttpRequest {
  const { headers } = request;
  const absent = (name: string): boolean => headerOf(headers, name) === null;
  const sent: Header[] = [];
  if (absent('host')) sent.push(['Host', request.origin.replace(/^https?:\/\//, '')]);
  sent.push(...headers);
  if (absent('user-agent')) sent.push(['User-Agent', `assay/${packageVersion()}`]);
  if (absent('accept-encoding')) sent.push(['Accept-Encoding', 'gzip, deflate, br']);
  if (absent('connection')) sent.push(['Connection', 'keep-alive']);
  const needsLength = request.body !== null || ['POST', 'PUT', 'PATCH'].includes(request.method);
  if (needsLength && absent('content-length') && absent('transfer-encoding')) {
    sent.push(['Content-Length', String(Buffer.byteLength(request.body ?? ''))]);
  }
  return { ...request, headers: sent };
}

/**
 * Why the request cannot be sent unchanged; null if it can. A target must begin with a slash (through a proxy, anything else
 * could name another host) and be printable ASCII, because other characters would have to be re-encoded.
 */
export function unsendable(request: HttpRequest): Failure | null {
  const reason = faultOf(request);
  return reason === null ? null : failure('malformed', `nothing was sent to ${request.origin}: ${reason}`);
}

function faultOf({ target, method, headers }: HttpRequest): string | null {
  if (!target.startsWith('/')) return 'the request target does not begin with a slash';
  if (!/^[\x21-\x7e]+$/.test(target))
    return 'the request target contains a space, a control character or a character outside ASCII';
  if (!/^[A-Za-z!#$%&'*+.^_`|~-]+$/.test(method) || method === 'CONNECT') return 'the method cannot be sent';
  const invalid = headers.find(([name, value]) => !isHeader(name, value));
  if (invalid === undefined) return null;
  const [name] = invalid;
  return `HTTP does not allow the header ${/^[\x20-\x7e]*$/.test(name) ? name : '(unprintable)'}`;
}

function isHeader(name: string, value: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/**
 * Whether Assay may send requests to `origin`. Every request passes this function.
 *
 * An origin is accepted only if it is in the canonical form of `URL.origin` and equals an allowed origin. Nothing is
 * normalised, so lenient parsing (backslashes, tabs, userinfo, default ports, IDN) cannot widen the check.
 */
export function mayContact(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes(origin) && isOrigin(origin);
}

/** Whether a text is an http or https origin in canonical form, such as `https://api.acme.example:8443`. */
export function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
