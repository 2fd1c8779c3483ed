import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../core/exchange.ts';
import { messageOf } from '../core/system-error.ts';
import type { LogLine } from './log-line.ts';
import { type Answer, problem, type ReceivedRequest } from './pipeline.ts';
import type { Behaviour, Call, Scenario } from './scenario/scenario.ts';

interface Entry extends Pick<LogLine, 'call' | 'durationMs' | 'status' | 'ending' | 'rules' | 'defects'> {
  readonly request: ReceivedRequest;
  /** Milliseconds since the epoch, by the system clock (not the provider's). */
  readonly at: number;
  /** Bytes of the complete body, also if it was truncated. */
  readonly bytes: number;
}

/** The latest requests, and counts over all of them. */
export interface RequestLog {
  readonly add: (entry: Entry) => void;
  /** The latest, oldest first. */
  readonly last: (most: number) => readonly LogLine[];
  readonly counts: () => { readonly calls: Record<Call, number>; readonly statuses: Record<string, number> };
  readonly clear: () => void;
}

/** How many requests are kept. */
const MAX_LOG_ENTRIES = 1000;

/** An empty log. @param onLine called after each answered request */
export function requestLog(onLine: ((line: LogLine) => void) | undefined): RequestLog {
  let lines: LogLine[] = [];
  let calls: Record<Call, number> = { token: 0, list: 0, other: 0 };
  let statuses: Record<string, number> = {};
  return {
    add: (entry) => {
      const line = lineOf(entry);
      lines.push(line);
      if (lines.length > MAX_LOG_ENTRIES) lines.shift();
      calls[entry.call] += 1;
      const status = entry.status ?? 'reset';
      statuses[status] = (statuses[status] ?? 0) + 1;
      onLine?.(line);
    },
    last: (most) => lines.slice(Math.max(0, lines.length - most)),
    counts: () => ({ calls: { ...calls }, statuses: { ...statuses } }),
    clear: () => {
      lines = [];
      calls = { token: 0, list: 0, other: 0 };
      statuses = {};
    },
  };
}

const MASK = '***';

function lineOf({ request, at, durationMs, call, status, bytes, ending, rules, defects }: Entry): LogLine {
  const form = formOf(request);
  return {
    number: request.number,
    at: new Date(at).toISOString(),
    call,
    method: request.method,
    target: request.target,
    headers: headersOf(request),
    ...(form === undefined ? {} : { form }),
    bodyBytes: request.body.length,
    status,
    answerBytes: bytes,
    ending,
    rules,
    defects,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

function headersOf({ headers }: ReceivedRequest): LogLine['headers'] {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    return [name, name === 'authorization' ? String(value).replace(/^(\S+ +)?.*$/su, `$1${MASK}`) : value];
  });
  return Object.fromEntries(shown) as LogLine['headers'];
}

function formOf({ headers, body }: ReceivedRequest): Readonly<Record<string, string>> | undefined {
  if (headers['content-type']?.toString().startsWith('application/x-www-form-urlencoded') !== true)
    return undefined;
  const fields = [...new URLSearchParams(body.toString('utf8'))];
  return Object.fromEntries(fields.map(([name, value]) => [name, name === 'client_secret' ? MASK : value]));
}

/** Prefix of the control endpoints, which are not part of the provider. */
const RESERVED_PATH = '/__assay/';

/** What the control endpoints read and change. */
export interface MockController {
  readonly state: () => object;
  readonly last: (most: number) => readonly LogLine[];
  readonly reset: () => void;
  readonly scenario: () => Behaviour;
  readonly replace: (behaviour: Behaviour) => void;
  /** Parses a scenario; throws an error that lists its problems. */
  readonly read: ((text: string) => Promise<Scenario>) | undefined;
}

type Route = (controlled: MockController, query: URLSearchParams, body: string) => Answer | Promise<Answer>;

const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  health: { GET: () => json({ status: 'ok' }) },
  state: { GET: (controlled) => json(controlled.state()) },
  requests: {
    GET: (controlled, query) => {
      const last = query.get('last') ?? '100';
      if (!/^\d{1,6}$/u.test(last))
        return problem(400, `last is a number of requests, at most ${MAX_LOG_ENTRIES}`);
      return json(controlled.last(Math.min(Number(last), MAX_LOG_ENTRIES)));
    },
  },
  reset: {
    POST: (controlled) => {
      controlled.reset();
      return json(controlled.state());
    },
  },
  scenario: { GET: (controlled) => json(controlled.scenario()), PUT: replace },
};

const FIXED_AT_START = 'can only be set when the mock starts; replace defects, latency and rules here';

async function replace(controlled: MockController, _query: URLSearchParams, body: string): Promise<Answer> {
  const { read } = controlled;
  if (read === undefined) return problem(501, 'this mock does not read scenarios');
  let given: Scenario;
  try {
    given = await read(body);
  } catch (error) {
    const message = messageOf(error);
    const problems = error instanceof Error && 'problems' in error ? { problems: error.problems } : {};
    return json({ title: message, status: 400, ...problems }, 400);
  }
  const { $schema: _schema, defects, latency, rules, ...rest } = given as Scenario & { $schema?: string };
  const [fixedKey] = Object.keys(rest);
  if (fixedKey !== undefined) return problem(400, `${fixedKey} ${FIXED_AT_START}`);
  controlled.replace({
    ...(defects === undefined ? {} : { defects }),
    ...(latency === undefined ? {} : { latency }),
    ...(rules === undefined ? {} : { rules }),
  });
  return json(controlled.scenario());
}

/** Whether a request is for a control endpoint. */
export function isReserved(incoming: IncomingMessage): boolean {
  return incoming.url?.startsWith(RESERVED_PATH) === true;
}

/**
 * Answers a request for a control endpoint. Such requests are neither counted nor logged, and no rule applies.
 *
 * @param body undefined if it is too large
 */
export async function answerReserved(
  incoming: IncomingMessage,
  body: Buffer | undefined,
  response: ServerResponse,
  controlled: MockController,
): Promise<void> {
  const answer = crossOriginRefusal(incoming) ?? (await answerTo(incoming, body, controlled));
  response.writeHead(answer.status, {
    ...answer.headers,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(answer.body);
}

/**
 * Refuses requests that a web page may have caused: DNS rebinding (a foreign host name) or another origin. Null for
 * other requests.
 */
function crossOriginRefusal({ headers: { host = '', origin } }: IncomingMessage): Answer | null {
  const own = urlOf(`http://${host}`);
  if (own === null || !isLoopback(own)) return problem(403, 'the host of this request is not this machine');
  if (origin !== undefined && urlOf(origin)?.host !== own.host)
    return problem(403, 'this request comes from another origin');
  return null;
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function answerTo(
  { url = '', method = '' }: IncomingMessage,
  body: Buffer | undefined,
  controlled: MockController,
): Answer | Promise<Answer> {
  const [path = '', query = ''] = url.slice(RESERVED_PATH.length).split(/\?(.*)/su);
  if (!Object.hasOwn(routes, path)) {
    return problem(404, `no such endpoint; use one of ${Object.keys(routes).join(', ')}`);
  }
  const methods = routes[path] ?? {};
  const route = methods[method];
  const allowed = Object.keys(methods).join(', ');
  if (route === undefined) return problem(405, `${path} takes ${allowed}`, { Allow: allowed });
  if (body === undefined) return problem(413, 'the body is too large');
  return route(controlled, new URLSearchParams(query), body.toString('utf8'));
}

function json(value: object, status = 200): Answer {
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  return { status, headers: { 'Content-Type': type }, body: `${JSON.stringify(value, null, 2)}\n` };
}
