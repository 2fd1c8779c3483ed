import type { Exchange } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { Undecided } from '../core/undecided.ts';
import { ambiguous, isObject, type JsonBody, member, readJson } from './body.ts';
import { NoAnswer } from './sender.ts';

/** One complete answer of the token endpoint. */
export interface TokenAnswer {
  readonly exchange: Exchange;
  readonly status: number;
  readonly body: JsonBody;
  /** The access_token of an answer of status 200; null where there is none to be had. */
  readonly token: string | null;
  /** expires_in where it is a number, in seconds of the provider's clock. */
  readonly expiresIn: number | null;
  /** Milliseconds since the epoch between which the token was issued. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Members that a rule reads (2.1), and the one that tells an error (RFC 6749, 5.2). */
const MEMBERS = ['access_token', 'expires_in', 'token_type', 'scope', 'error'];

/** Bytes of a body up to which everything in it is kept. */
const KEPT_WHOLE = 65_536;

/**
 * Reads what came of a token request. Throws NoAnswer where nothing came, and Undecided where a limit of the target file
 * keeps the answer from being read.
 *
 * @param maxDepth arrays and objects within each other up to which a body is read
 */
export function readTokenAnswer(exchange: Exchange, maxDepth: number): TokenAnswer {
  if (exchange.answer === null) throw new NoAnswer(exchange);
  const { status } = exchange.answer;
  const read = readJson(exchange.answer, maxDepth);
  if (!read.ok && read.limit !== undefined)
    throw new Undecided(
      { kind: 'limit', limit: read.limit },
      `the answer of the token endpoint: ${read.why}`,
    );
  const body = exchange.answer.body.length > KEPT_WHOLE ? spare(unambiguous(read)) : unambiguous(read);
  const given = givenToken(body);
  const expiresIn = member(body.ok ? body.value : null, 'expires_in');
  return {
    exchange,
    status,
    body,
    token: status === 200 && given !== '' ? given : null,
    // Beyond a double there are still numbers, and none of them is a lifetime.
    expiresIn: typeof expiresIn === 'number' ? Math.min(expiresIn, Number.MAX_VALUE) : null,
    askedAt: exchange.startedAt,
    answeredAt: exchange.startedAt + exchange.durationMs,
  };
}

/** The access_token of a body, whatever the status; null where there is none that is a text. */
export function givenToken(body: JsonBody): string | null {
  const given = body.ok && isObject(body.value) ? member(body.value, 'access_token') : undefined;
  return typeof given === 'string' ? given : null;
}

/** The body, unless two readers could take different values from it. */
function unambiguous(body: JsonBody): JsonBody {
  const twice = ambiguous(body, MEMBERS);
  if (twice !== null) return { ok: false, why: `the body gives ${twice} more than once` };
  if (body.ok && body.exact.get('expires_in')?.integer === false)
    return { ok: false, why: 'expires_in is a number instead of an integer' };
  return body;
}

/**
 * The same without what no rule reads: every answer is kept for as long as the run lasts, and what a provider puts
 * into a megabyte may take twenty when it is parsed.
 */
function spare(body: JsonBody): JsonBody {
  if (!body.ok || !isObject(body.value)) return body;
  const kept = Object.entries(body.value)
    .filter(([name]) => MEMBERS.includes(name))
    .map(([name, value]): [string, Json] => [name, Array.isArray(value) ? [] : isObject(value) ? {} : value]);
  return { ...body, value: Object.fromEntries(kept) };
}
