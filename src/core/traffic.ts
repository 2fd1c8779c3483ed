import type { Exchange, FailureCode, Header, HttpAnswer, HttpRequest, TlsFacts } from './exchange.ts';
import type { Traffic } from './results.ts';

/** An answer without its body. */
export interface AnswerNote {
  readonly httpVersion: string;
  readonly headers: readonly Header[];
  /** The first characters of a body that is no list; empty for lists. */
  readonly excerpt: string;
}

/** What stays in memory of an exchange once it is judged: no body. */
export interface LoggedExchange {
  readonly number: number;
  readonly request: HttpRequest;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly failure: FailureCode | null;
  /** What observations read of the answer; null where none came. */
  readonly answer: AnswerNote | null;
  /** Bytes of the answer's body as transferred. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null where nothing was put on a wire. */
  readonly connection: number | null;
  readonly tls?: TlsFacts;
  readonly retry: number;
}

/**
 * An exchange without what is not needed to show and count it.
 *
 * @param redact removes the secrets of a text
 */
export function loggedOf(exchange: Exchange, redact: (text: string) => string): LoggedExchange {
  return {
    number: exchange.number,
    request: exchange.request,
    status: exchange.answer?.status ?? null,
    failure: exchange.failure?.code ?? null,
    answer: exchange.answer === null ? null : noteOf(exchange.request, exchange.answer, redact),
    bytes: exchange.answer?.bodyBytesOnWire ?? 0,
    startedAt: exchange.startedAt,
    durationMs: exchange.durationMs,
    connection: exchange.connection,
    ...(exchange.tls === undefined ? {} : { tls: exchange.tls }),
    retry: exchange.retry,
  };
}

/** Characters of a body that are kept to be shown. */
const MAX_EXCERPT_CHARACTERS = 400;
/** Bytes of a body from which secrets are removed before it is cut: half a one would not be recognised any more. */
const MAX_REDACTED_BYTES = 524_288;
/** Characters of headers that are kept of one answer. */
const MAX_HEADER_CHARACTERS = 16_384;

function noteOf(
  request: HttpRequest,
  { status, httpVersion, headers, body }: HttpAnswer,
  redact: (text: string) => string,
): AnswerNote {
  // A token answer is read from the token client, a list from its page; what is left are refusals.
  const shown = status !== 200 && request.method !== 'HEAD';
  const text = shown ? new TextDecoder().decode(body.subarray(0, MAX_REDACTED_BYTES)) : '';
  return {
    httpVersion,
    headers: firstHeaders(headers),
    excerpt: redact(text).slice(0, MAX_EXCERPT_CHARACTERS).toWellFormed(),
  };
}

// Whole ones, for as long as there is room: every exchange is kept until the run ends.
function firstHeaders(headers: readonly Header[]): readonly Header[] {
  let room = MAX_HEADER_CHARACTERS;
  const first = headers.filter(([name, value]) => {
    room -= name.length + value.length;
    return room >= 0;
  });
  return first.length === headers.length ? headers : first;
}

/** Whether anything of a request was put on a wire; not so what a limit, a stop or a refused connection kept back. */
export function wasSent({ connection, answered }: { connection: number | null; answered: boolean }): boolean {
  return connection !== null || answered;
}

/** Sums up what exchanges cost: those that reached a wire, latencies of those that were answered. */
export function trafficOf(exchanges: readonly LoggedExchange[]): Traffic {
  const sent = exchanges.filter(({ connection, status }) =>
    wasSent({ connection, answered: status !== null }),
  );
  const latencies = sent
    .filter(({ status }) => status !== null)
    .map(({ durationMs }) => durationMs)
    .sort((one, other) => one - other);
  const at = (share: number): number => {
    const latency = latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
    return Math.round(latency * 10) / 10;
  };
  const rate = acceptedRate(sent);
  return {
    ...(rate === null ? {} : { acceptedRate: rate }),
    requests: sent.length,
    retries: sent.filter(({ retry }) => retry > 0).length,
    bytesReceived: sent.reduce((sum, { bytes }) => sum + bytes, 0),
    latencyMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
  };
}

/** Seconds over which a rate is measured: windows in which limits of requests are usually counted. */
const RATE_WINDOW_S = 10;
/** Part of the accepted rate that is proposed, so that the limit is not reached again. */
const RATE_MARGIN = 0.9;

/**
 * Requests per second that the provider takes, a tenth below what it answered in the busiest window that ends in a 429;
 * null where nothing was answered 429.
 */
function acceptedRate(sent: readonly LoggedExchange[]): number | null {
  const throttled = sent.filter(({ status }) => status === 429);
  if (throttled.length === 0) return null;
  const answered = sent
    .filter(({ status }) => status !== null && status !== 429)
    .map(({ startedAt }) => startedAt);
  const counts = throttled.map(
    ({ startedAt: end }) =>
      answered.filter((at) => at <= end && at > end - RATE_WINDOW_S * 1000).length / RATE_WINDOW_S,
  );
  const rate = Math.max(...counts) * RATE_MARGIN;
  return Math.max(0.1, Math.floor(rate * 10) / 10);
}
