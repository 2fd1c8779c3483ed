/** A header as sent: letter case is kept, and repeated headers are separate entries. */
export type Header = readonly [name: string, value: string];

/** One request as sent. */
export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port, as `URL.origin` writes them. */
  readonly origin: string;
  /** The request target: path and query, sent byte for byte (never normalised, never re-encoded). */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: string | null;
}

/** One complete answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  /** `1.0` or `1.1`. */
  readonly httpVersion: string;
  readonly headers: readonly Header[];
  /** The body after decoding its content coding (gzip, br, deflate). */
  readonly body: Uint8Array;
  /** Bytes of the body as transferred. */
  readonly bodyBytesOnWire: number;
}

/** Why there is no complete answer. */
export type FailureCode =
  | 'refused' // no process listens there
  | 'unresolved' // the name has no address
  | 'unreachable' // no route, or the network is down
  | 'connect-timeout'
  | 'answer-timeout' // limits.answerTimeoutMs passed before the last byte
  | 'tls' // certificate or handshake
  | 'untrusted' // no known authority signed the certificate
  | 'client-certificate' // the provider demands one, or refuses the one that it got
  | 'closed' // the connection ended before a status line
  | 'truncated' // the connection ended inside the answer
  | 'malformed' // not HTTP
  | 'headers-too-large'
  | 'body-too-large' // limits.maxBodyBytes, after decoding
  | 'encoding' // the content coding could not be decoded
  | 'proxy' // the proxy did not let the request through
  | 'forbidden-origin' // Assay does not send there
  | 'request-limit' // limits.maxRequests or limits.maxTotalBytes is used up
  | 'retry-later' // the provider keeps answering 429 or 503, or never answers: no more requests are sent to it
  | 'time-limit' // limits.maxRunSeconds is over
  | 'interrupted'; // the run was stopped

/** Why a request got no complete answer: a code and one sentence. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  /** Status of the last answers for `retry-later`; missing if there were none. */
  readonly status?: number;
  /** Key of the limit that stopped the request, such as `maxBodyBytes`; missing if none did. */
  readonly limit?: string;
}

/** How a connection is secured. */
export interface TlsFacts {
  /** As `TLSv1.3`. */
  readonly version: string;
  /** When the provider's certificate expires: ISO 8601, UTC; null if it could not be read. */
  readonly certificateEnds: string | null;
}

/** One HTTP request with its answer or failure; exactly one of the two is set. */
export interface Exchange {
  /** Position in the evidence of the target, from 1. */
  readonly number: number;
  readonly request: HttpRequest;
  readonly answer: HttpAnswer | null;
  readonly failure: Failure | null;
  /** Milliseconds since the epoch at which the request was sent. */
  readonly startedAt: number;
  /** Milliseconds from `startedAt` to the first byte of the answer; null if none came. */
  readonly firstByteMs: number | null;
  /** Milliseconds from `startedAt` to the last byte or the failure. */
  readonly durationMs: number;
  /** Number of the connection within the run, from 1; null if there was none. */
  readonly connection: number | null;
  /** Missing for plain http and without a connection. */
  readonly tls?: TlsFacts;
  /** How many earlier exchanges of the evidence this one repeats, after 429, 503 or a lost connection. */
  readonly retry: number;
}

/** The exchanges whose answers the checks of a target used, by requirement, as ascending ranges. */
export type EvidenceUses = { readonly [check: string]: readonly (readonly [first: number, last: number])[] };

/** The value of the first header with this name in any letter case; null if there is none. */
export function headerOf(headers: readonly Header[], name: string): string | null {
  return headerValues(headers, name)[0] ?? null;
}

/** The values of all headers with this name in any letter case. */
export function headerValues(headers: readonly Header[], name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([given]) => given.toLowerCase() === wanted).map(([, value]) => value);
}

/**
 * Milliseconds in `Retry-After`, as seconds or as a date (RFC 9110, 10.2.3). Null if the header is missing or
 * invalid. A past date gives 0. A date is compared with the answer's own `Date`, so that the clocks need not
 * agree.
 */
export function retryAfterMs(headers: readonly Header[], now: number): number | null {
  const value = headerOf(headers, 'retry-after')?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = httpDate(value);
  if (date === null) return null;
  const serverTime = httpDate(headerOf(headers, 'date') ?? '');
  return Math.max(0, date - (serverTime ?? now));
}

// Date.parse accepts more than HTTP dates (`1` is a year), so the form is checked first.
function httpDate(text: string): number | null {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const parsed = Date.parse(/GMT|UTC|[+-]\d{4}/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(parsed) ? null : parsed;
}

/** Whether a URL names the loopback interface, so that requests do not leave the machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The bytes of a body as a Buffer, without copying them. */
export function bufferOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
