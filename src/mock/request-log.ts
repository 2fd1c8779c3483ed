import type { ReceivedRequest } from './pipeline.ts';
import type { Call } from './scenario/scenario.ts';

/** One request as the log shows it. Tokens and secrets are masked. */
export interface LogLine {
  readonly number: number;
  /** ISO 8601, by the system clock (not the provider's). */
  readonly at: string;
  readonly call: Call;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Fields of a form-encoded body. */
  readonly form?: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** Null if the connection was reset. */
  readonly status: number | null;
  /** Bytes of the complete body, also if it was truncated. */
  readonly answerBytes: number;
  /** The provider's answer, a rule's answer, a reset or a truncated body. */
  readonly ending: 'answered' | 'replaced' | 'reset' | 'truncated';
  readonly rules: readonly string[];
  readonly defects: readonly string[];
  readonly durationMs: number;
}

export type Outcome = Pick<LogLine, 'status' | 'answerBytes' | 'ending'>;

interface Entry extends Outcome, Pick<LogLine, 'at' | 'call' | 'rules' | 'defects' | 'durationMs'> {
  readonly request: ReceivedRequest;
}

/** How many requests are kept. */
export const MAX_LOG_ENTRIES = 1000;

/** How many issued tokens are known, and masked wherever they are sent. */
const MAX_KNOWN_TOKENS = 1000;

/** Characters; a shorter secret occurs by chance, so only client_secret itself is masked. */
const MIN_MASKED_LENGTH = 8;

/**
 * An empty log of the latest requests, with counts of all.
 *
 * @param onLine called after each answered request
 * @param secrets texts that are masked wherever they are sent, in any percent-encoding
 */
export function requestLog(onLine: ((line: LogLine) => void) | undefined, secrets: readonly string[]) {
  const long = secrets.filter(({ length }) => length >= MIN_MASKED_LENGTH);
  const tokens = new Set<string>();
  let lines: LogLine[] = [];
  let calls: Record<Call, number> = { token: 0, list: 0, other: 0 };
  let statuses: Record<string, number> = {};
  const maskPlain = (text: string): string => {
    let masked = text;
    for (const secret of [...long, ...tokens]) masked = masked.replaceAll(secret, MASK);
    return masked;
  };
  const mask = (text: string): string =>
    maskPlain(text).replaceAll(ENCODED_PART, (part) => {
      const decoded = decode(part);
      const masked = maskPlain(decoded);
      return masked === decoded ? part : masked;
    });
  return {
    /** Masks a token in the lines of later requests. */
    hide: (token: string): void => {
      if (token.length < MIN_MASKED_LENGTH) return;
      const [oldest] = tokens;
      if (oldest !== undefined && tokens.size >= MAX_KNOWN_TOKENS) tokens.delete(oldest);
      tokens.add(token);
    },
    /** Reports an answered request, and counts and keeps it if `isKept`. */
    add: (entry: Entry, isKept: boolean): void => {
      const line = lineOf(entry, mask);
      onLine?.(line);
      if (!isKept) return;
      lines.push(line);
      if (lines.length > MAX_LOG_ENTRIES) lines.shift();
      calls[entry.call] += 1;
      const status = entry.status ?? 'reset';
      statuses[status] = (statuses[status] ?? 0) + 1;
    },
    /** The latest, oldest first. */
    last: (most: number): readonly LogLine[] => lines.slice(Math.max(0, lines.length - most)),
    counts: () => ({ calls: { ...calls }, statuses: { ...statuses } }),
    clear: (): void => {
      lines = [];
      calls = { token: 0, list: 0, other: 0 };
      statuses = {};
    },
  };
}

const MASK = '***';

/**
 * A part of a query, a cookie or another header with a percent-escape or a +, which may be a blank. It is searched for only where
 * parts begin: a long text without either would take seconds.
 */
const ENCODED_PART = /(?<![^\s?&=;,"])[^\s?&=;,"%+]*[%+][^\s?&=;,"]*/gu;

/** The name of a scheme, which is no secret; a token in its place is longer. */
const SCHEME = /^[A-Za-z][A-Za-z0-9_:-]{0,19} +/u;

function decode(part: string): string {
  return new URLSearchParams(`=${part}`).get('') ?? part;
}

type Mask = (text: string) => string;

function lineOf({ request, at, call, durationMs, ...outcome }: Entry, mask: Mask): LogLine {
  const form = formOf(request, mask);
  return {
    number: request.number,
    at,
    call,
    method: request.method,
    target: mask(request.target).replaceAll(/([?&]client_secret=)[^&]*/gu, `$1${MASK}`),
    headers: headersOf(request, mask),
    ...(form === undefined ? {} : { form }),
    bodyBytes: request.body.length,
    ...outcome,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

function headersOf({ headers }: ReceivedRequest, mask: Mask): LogLine['headers'] {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    if (name === 'authorization') return [name, `${SCHEME.exec(mask(String(value)))?.[0] ?? ''}${MASK}`];
    return [name, typeof value === 'string' ? mask(value) : value.map(mask)];
  });
  return Object.fromEntries(shown) as LogLine['headers'];
}

function formOf(
  { headers, body }: ReceivedRequest,
  mask: Mask,
): Readonly<Record<string, string>> | undefined {
  if (headers['content-type']?.toString().startsWith('application/x-www-form-urlencoded') !== true)
    return undefined;
  const fields = [...new URLSearchParams(body.toString('utf8'))];
  return Object.fromEntries(
    fields.map(([name, value]) => [mask(name), name === 'client_secret' ? MASK : mask(value)]),
  );
}
