import { isUtf8 } from 'node:buffer';
import { controlCharacterOf } from '../core/bearer-token.ts';
import { bufferOf, type Exchange, type HttpAnswer, type HttpRequest } from '../core/exchange.ts';
import { isJsonObject } from '../core/json-text.ts';
import type { Json } from '../core/results.ts';
import { Blocked, stoppedBy } from '../core/undecided.ts';
import { isThrottled } from '../http/pacing/retry.ts';
import type { Limits } from '../target/target.ts';
import { isErrorOfClient } from './diagnosis.ts';
import { type JsonBody, memberOf, readJson, writtenValues } from './json-reader.ts';
import { isHtml, oauthError } from './refusal-wording.ts';
import { NoAnswer, NoControl } from './sender.ts';
import { undecidedIfThrottled } from './throttled-answer.ts';

export interface TokenAnswer {
  readonly exchange: Exchange;
  /** 0 if there is no answer: see {@link closedConnection}. */
  readonly status: number;
  readonly body: JsonBody;
  /** The access_token of an answer of status 200; null if there is none. */
  readonly token: string | null;
  /** If there is none: an access_token elsewhere in the answer; null if there is none either. */
  readonly tokenElsewhere: string | null;
  /** expires_in if it is a number, in seconds of the provider's clock. */
  readonly expiresIn: number | null;
  /** Milliseconds since the epoch between which the token was issued. */
  readonly requestedAt: number;
  readonly answeredAt: number;
}

/** Members that a rule reads (2.1), and the one of an error (RFC 6749, 5.2). */
const MEMBERS = ['access_token', 'expires_in', 'token_type', 'scope', 'error'];

/** Bytes of a body up to which everything in it is kept. */
const KEPT_WHOLE = 65_536;

/**
 * Reads the answer to a token request. Throws NoAnswer if there is none, and Undecided if a limit of the target file
 * keeps the answer from being read.
 *
 * @param maxDepth arrays and objects within each other up to which a body is read
 */
export function readTokenAnswer(exchange: Exchange, maxDepth: number): TokenAnswer {
  if (exchange.answer === null) throw new NoAnswer(exchange);
  const { status } = exchange.answer;
  const read = readJson(exchange.answer, maxDepth);
  if (!read.ok && read.limit !== undefined)
    throw stoppedBy(read.limit, `the answer of the token endpoint: ${read.why}`);
  const readable = unambiguous(exchange.answer, read, maxDepth);
  const body = exchange.answer.body.length > KEPT_WHOLE ? spare(readable) : readable;
  const given = givenToken(body);
  const token = status === 200 && given !== '' ? given : null;
  const expiresIn = memberOf(body, 'expires_in');
  return {
    ...withoutToken(exchange, status, body),
    token,
    tokenElsewhere: token === null ? misplacedTokenIn(exchange.answer, read) : null,
    // A lifetime too large for a double is kept as the largest one.
    expiresIn: typeof expiresIn === 'number' ? Math.min(expiresIn, Number.MAX_VALUE) : null,
  };
}

function withoutToken(exchange: Exchange, status: number, body: JsonBody): TokenAnswer {
  const { startedAt, durationMs } = exchange;
  const times = { requestedAt: startedAt, answeredAt: startedAt + durationMs };
  return { exchange, status, body, token: null, tokenElsewhere: null, expiresIn: null, ...times };
}

/** Whether an error says that the provider closed the connection of this request without an answer, in every attempt. */
export function isClosed(error: unknown): error is NoAnswer {
  return (
    error instanceof NoAnswer && !(error instanceof NoControl) && error.exchange.failure?.code === 'closed'
  );
}

/** A request whose connection the provider closed without an answer: it gives no token. Throws every other error. */
export function closedConnection(error: unknown): TokenAnswer {
  if (!isClosed(error)) throw error;
  const why = 'the connection was closed without an answer';
  return withoutToken(error.exchange, 0, { ok: false, why });
}

/** The access_token of a body with any status; null if it is no string. */
function givenToken(body: JsonBody): string | null {
  const given = memberOf(body, 'access_token');
  return typeof given === 'string' ? given : null;
}

/** The code of a token's first control character, which no header can carry, as `U+000A`; null if there is none. */
export function controlCharacterCode(token: string): string | null {
  const character = controlCharacterOf(token);
  return character === null
    ? null
    : `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether a request goes to the token endpoint, or to another path that may issue tokens, such as the one that a redirect names. */
export function isTokenRequest({ method, target }: HttpRequest): boolean {
  return method === 'POST' || target.split('?', 1)[0]?.endsWith('/connect/token') === true;
}

/**
 * What an exchange with the token endpoint gives that the client, or a check, may send as a token: read as the client
 * reads it, whatever the status. Null if there is nothing of the kind.
 *
 * @param maxDepth arrays and objects within each other up to which a body is read
 */
export function tokenGivenBy({ request, answer }: Exchange, maxDepth: number): string | null {
  if (answer === null || !isTokenRequest(request)) return null;
  const read = readJson(answer, maxDepth);
  return givenToken(unambiguous(answer, read, maxDepth)) || misplacedTokenIn(answer, read);
}

/** Characters of the shortest text that is taken for a token in an unexpected position. */
const SHORTEST_TOKEN = 6;
const ASSIGNMENT = /access_token["']?\s*[:=]\s*["']?([^"'&\s,}]{6,})/;
/** A word of a sentence, as in "access_token: missing". */
const PLAIN_WORD = /^[A-Za-z][a-z]{0,14}[.!?;]*$/;

/** A text that is given as an access_token within another text, and the index of the assignment. */
export function assignmentIn(
  text: string,
): { readonly token: string; readonly from: number; readonly to: number } | null {
  const match = ASSIGNMENT.exec(text);
  const token = match?.[1];
  if (match === null || token === undefined || PLAIN_WORD.test(token)) return null;
  return { token, from: match.index, to: match.index + match[0].length };
}

// Some providers write the token next to an error, or one level down.
function misplacedTokenIn({ body }: HttpAnswer, read: JsonBody): string | null {
  if (read.ok) return tokenWithin(read.value);
  const bytes = bufferOf(body);
  if (isUtf8(bytes)) return assignmentIn(bytes.toString('utf8'))?.token ?? null;
  const token = assignmentIn(bytes.toString('latin1'))?.token ?? '';
  return /^[\x21-\x7e]+$/.test(token) ? token : null;
}

function tokenWithin(value: Json): string | null {
  if (typeof value === 'string') return assignmentIn(value)?.token ?? null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const isGiven = name === 'access_token' && typeof inner === 'string' && inner.length >= SHORTEST_TOKEN;
    const found = isGiven ? inner : tokenWithin(inner as Json);
    if (found !== null) return found;
  }
  return null;
}

/** A value of which only the length is left. */
const MASKED = /^"\*+"$/;

/**
 * Names that the outermost object gives again, so that it is open which value counts: not those that rules read, if all their
 * values are the same and none is masked.
 */
export function ambiguousNames(bytes: Uint8Array, body: JsonBody, maxDepth: number): ReadonlySet<string> {
  const names = body.ok ? body.doubled.filter(({ path }) => path.length === 0).map(({ name }) => name) : [];
  const hasOneValue = (name: string): boolean => {
    const values = [...writtenValues(bufferOf(bytes), name, maxDepth)];
    return values.length === 1 && !values.some((value) => MASKED.test(value));
  };
  return new Set(names.filter((name) => !MEMBERS.includes(name) || !hasOneValue(name)));
}

/** The body, unless two readers could take different values from it. */
function unambiguous({ body: bytes }: HttpAnswer, body: JsonBody, maxDepth: number): JsonBody {
  const twice = [...ambiguousNames(bytes, body, maxDepth)].find((name) => MEMBERS.includes(name));
  if (twice !== undefined) return { ok: false, why: `the body gives ${twice} more than once` };
  if (body.ok && body.exact.get('expires_in')?.integer === false)
    return { ok: false, why: 'expires_in is a number instead of an integer' };
  return body;
}

/**
 * The body with only the members that rules read. Every answer is kept until the run ends, and a body of 1 MB may take
 * 20 MB once it is parsed.
 */
function spare(body: JsonBody): JsonBody {
  if (!body.ok || !isJsonObject(body.value)) return body;
  const kept = Object.entries(body.value)
    .filter(([name]) => MEMBERS.includes(name))
    .map(([name, value]): [string, Json] => [
      name,
      Array.isArray(value) ? [] : isJsonObject(value) ? {} : value,
    ]);
  return { ...body, value: Object.fromEntries(kept) };
}

/** Whether the token endpoint answered with a web page: then it is no token endpoint. */
export function isWebPage({ exchange }: TokenAnswer): boolean {
  return exchange.answer !== null && isHtml(exchange.answer);
}

/** Whether an answer of status 200 gives no token but an OAuth error that concerns the client. */
export function refusesWith200({ status, token, exchange: { answer } }: TokenAnswer): boolean {
  return status === 200 && token === null && answer !== null && isErrorOfClient(oauthError(answer));
}

/**
 * Whether a valid request was granted, even if with another status than 200: the client is not locked. A page of status 200
 * that is no JSON, or an OAuth error, grants nothing.
 */
export function isGranted(answer: TokenAnswer): boolean {
  const { status, body, token, tokenElsewhere } = answer;
  if (token !== null || tokenElsewhere !== null) return status >= 200 && status < 300;
  return status === 200 && body.ok && !refusesWith200(answer);
}

/** Whether the provider decided about the request: the answer does not come from an outage or a rate limit. */
export function isDecided({ status, exchange: { answer } }: TokenAnswer): boolean {
  return status < 500 && (answer === null || !isThrottled(answer));
}

/** Whether a request is refused, and not only delayed by an outage or a rate limit. */
export function isRefused(answer: TokenAnswer): boolean {
  return answer.status >= 400 && isDecided(answer);
}

/** Why there is no token: Undecided if the endpoint is throttled, otherwise Blocked by the requirement that its answer breaks. */
export function noToken(answer: TokenAnswer, limits: Limits): Error {
  const later = undecidedIfThrottled('the token endpoint', answer.exchange, limits, true);
  if (later !== null) return later;
  return answer.status === 200 && !isWebPage(answer) && !refusesWith200(answer)
    ? new Blocked('token/shape', 'the token answer holds no access_token')
    : new Blocked('token/issued', `the token request was answered ${answer.status}`);
}
