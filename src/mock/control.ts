import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../core/exchange.ts';
import { messageOf } from '../core/system-error.ts';
import { type Answer, problem } from './pipeline.ts';
import { type LogLine, MAX_LOG_ENTRIES } from './request-log.ts';
import type { Behaviour, Scenario } from './scenario/scenario.ts';

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
  const { $schema: _schema, ...behaviour } = given as Scenario & { $schema?: string };
  const fixedKey = Object.keys(behaviour).find((key) => !['defects', 'latency', 'rules'].includes(key));
  if (fixedKey !== undefined) return problem(400, `${fixedKey} ${FIXED_AT_START}`);
  controlled.replace(behaviour);
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
