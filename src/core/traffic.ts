import {
  type Exchange,
  type FailureCode,
  type Header,
  type HttpAnswer,
  type HttpRequest,
  retryAfterMs,
} from './exchange.ts';
import { isJsonObject, parsedJson } from './json-text.ts';
import type { Traffic } from './results.ts';

/** An answer without its body. */
export interface AnswerNote extends Pick<HttpAnswer, 'httpVersion' | 'headers'> {
  /** The first characters of a body that is not a list; empty for lists. */
  readonly excerpt: string;
  /** The `error` of a refused POST (RFC 6749, 5.2); null if its body names none. */
  readonly errorCode: string | null;
}

/** An exchange without its body, kept until the run ends. */
export interface LoggedExchange extends Omit<Exchange, 'answer' | 'failure' | 'firstByteMs'> {
  /** Null without an answer. */
  readonly status: number | null;
  readonly failure: FailureCode | null;
  /** Parts of the answer for observations; null without an answer. */
  readonly answer: AnswerNote | null;
  /** Bytes of the answer's body as transferred. */
  readonly bytes: number;
}

/**
 * The parts of an exchange that reports and counts need.
 *
 * @param redact removes secrets from a text
 */
export function loggedOf(exchange: Exchange, redact: (text: string) => string): LoggedExchange {
  const { number, request, answer, failure, startedAt, durationMs, connection, tls, retry } = exchange;
  return {
    number,
    request,
    status: answer?.status ?? null,
    failure: failure?.code ?? null,
    answer: answer === null ? null : noteOf(request, answer, redact),
    bytes: answer?.bodyBytesOnWire ?? 0,
    startedAt,
    durationMs,
    connection,
    ...(tls === undefined ? {} : { tls }),
    retry,
  };
}

const MAX_EXCERPT_CHARACTERS = 400;
/** Maximum bytes of a body that are redacted before the excerpt is truncated: part of a secret is not recognised. */
const MAX_REDACTED_BYTES = 524_288;
/** Maximum characters of headers that are kept per answer. */
const MAX_HEADER_CHARACTERS = 16_384;

function noteOf(
  request: HttpRequest,
  { status, httpVersion, headers, body }: HttpAnswer,
  redact: (text: string) => string,
): AnswerNote {
  // Token answers and pages are stored elsewhere; the excerpt is for refusals.
  const hasExcerpt = status !== 200 && request.method !== 'HEAD';
  const text = hasExcerpt ? redact(new TextDecoder().decode(body.subarray(0, MAX_REDACTED_BYTES))) : '';
  return {
    httpVersion,
    headers: firstHeaders(headers),
    excerpt: firstCharacters(text),
    errorCode: request.method === 'POST' ? errorCodeIn(text) : null,
  };
}

function errorCodeIn(text: string): string | null {
  const body = parsedJson(text);
  const code = isJsonObject(body) ? body['error'] : undefined;
  return typeof code === 'string' ? firstCharacters(code) : null;
}

function firstCharacters(text: string): string {
  return text.slice(0, MAX_EXCERPT_CHARACTERS).toWellFormed();
}

// Bounded, because every exchange is kept until the run ends.
function firstHeaders(headers: readonly Header[]): readonly Header[] {
  let room = MAX_HEADER_CHARACTERS;
  const first = headers.filter(([name, value]) => {
    room -= name.length + value.length;
    return room >= 0;
  });
  return first.length === headers.length ? headers : first;
}

/** Whether a request was sent; not if a limit, an interruption or a refused connection prevented it. */
export function wasSent({ connection, answered }: { connection: number | null; answered: boolean }): boolean {
  return connection !== null || answered;
}

/** Traffic of the sent exchanges; latencies of those that were answered. */
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
  const retryAtMs = longWaitEnd(sent);
  return {
    ...(rate === null ? {} : { acceptedRate: rate }),
    ...(retryAtMs === null ? {} : { retryAt: new Date(retryAtMs).toISOString() }),
    requests: sent.length,
    retries: sent.filter(({ retry }) => retry > 0).length,
    bytesReceived: sent.reduce((sum, { bytes }) => sum + bytes, 0),
    latencyMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
  };
}

/** Seconds over which a rate is measured: a usual window of rate limits. */
const RATE_WINDOW_S = 10;
/** Share of the accepted rate that is proposed, to stay below the limit. */
const RATE_MARGIN = 0.9;

/**
 * Requests per second that the provider accepts: 90% of the rate in the busiest window that ends with a 429; null
 * without a 429.
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

/** Seconds of Retry-After from which on a 429 is one of a quota that is used up, and no lower rate helps at once. */
const LONG_WAIT_S = 60;
/** Seconds of the longest Retry-After that counts: a year. */
const LONGEST_WAIT_S = 31_536_000;

/** When the longest wait ends that a 429 asked for, in milliseconds since the epoch; null if none was long. */
function longWaitEnd(sent: readonly LoggedExchange[]): number | null {
  const ends = sent.flatMap(({ status, answer, startedAt, durationMs }) => {
    const receivedAt = startedAt + durationMs;
    const waitMs = status === 429 && answer !== null ? retryAfterMs(answer.headers, receivedAt) : null;
    const isLong = waitMs !== null && waitMs >= LONG_WAIT_S * 1000 && waitMs <= LONGEST_WAIT_S * 1000;
    return isLong ? [receivedAt + waitMs] : [];
  });
  return ends.length === 0 ? null : Math.max(...ends);
}
