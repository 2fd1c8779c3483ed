import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, problem, type ReceivedRequest, Refused, type Service, TOKEN_PATH } from './pipeline.ts';
import type { Outcome } from './request-log.ts';
import type { RuleEffects } from './scenario/rule-engine.ts';
import type { Call, ReplacementAnswer } from './scenario/scenario.ts';

const MAX_BODY_BYTES = 65_536;
const noBody = Buffer.alloc(0);

/** Reads the body; undefined if it is larger than `MAX_BODY_BYTES`. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const { headers } = incoming;
  // Most requests are GET without a body: no need to wait for one.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    incoming.resume();
    return noBody;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    // Reads on: the next request over the connection comes after the whole body.
    if (bytes <= MAX_BODY_BYTES) chunks.push(buffer);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

/** The scheme and the authority of a request target in absolute form (RFC 9112 section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/iu;

/** The request in the form that the steps read. */
export function parseRequest(
  incoming: IncomingMessage,
  body: Buffer | undefined,
  number: number,
): ReceivedRequest {
  const target = incoming.url ?? '';
  const [path = '', query = ''] = target.replace(ORIGIN, '').split(/\?(.*)/su);
  return {
    number,
    method: incoming.method ?? '',
    target,
    path: path === '' ? '/' : path,
    query,
    headers: incoming.headers,
    repeated: (name) => incoming.headersDistinct[name] ?? [],
    body: body ?? noBody,
    connection: incoming.socket,
  };
}

/** The kind of request, by its path alone. */
export function callOf(
  { path }: ReceivedRequest,
  { basePath, resources }: Pick<Service, 'basePath' | 'resources'>,
): Call {
  if (path === TOKEN_PATH) return 'token';
  return resources.some((resource) => basePath + resource.path === path) ? 'list' : 'other';
}

interface RequestParts {
  readonly request: ReceivedRequest;
  /** Whether the body was larger than is read. */
  readonly isTooLarge: boolean;
  /** The effects of the rules on the request, and the provider that answers it. */
  readonly effects: RuleEffects;
  readonly service: Service;
}

/** Answers one request according to the rules that apply to it. Null if the connection was lost before. */
export async function answerRequest(
  { request, isTooLarge, effects, service }: RequestParts,
  response: ServerResponse,
): Promise<Outcome | null> {
  const { answer: instead, delayMs, reset, truncate } = effects;
  const own = async (): Promise<Answer> => {
    const answer = isTooLarge ? problem(413, 'the body is too large') : await answerOf(request, service);
    return service.steps.respond(answer, request, service);
  };
  const given = instead === undefined ? null : replacementAnswer(instead);
  const answer = reset ? null : (given ?? (await own()));
  // The provider's clock may run faster than the system clock.
  response.setHeader('Date', new Date(service.now()).toUTCString());
  if (delayMs > 0) await wait(delayMs, undefined, { ref: false });
  if (answer === null) {
    resetConnection(response);
    return { status: null, answerBytes: 0, ending: 'reset' };
  }
  if (response.destroyed) return null;
  const sent = { status: answer.status, answerBytes: Buffer.byteLength(answer.body) };
  if (truncate !== undefined) {
    sendTruncated(answer, response, truncate);
    return { ...sent, ending: 'truncated' };
  }
  if (given !== null) {
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
    return { ...sent, ending: 'replaced' };
  }
  service.steps.deliver(answer, response, request, service);
  return { ...sent, ending: 'answered' };
}

async function answerOf(request: ReceivedRequest, service: Service): Promise<Answer> {
  try {
    return await service.steps.receive(request, service);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    return problem(500, error instanceof Error ? error.message : 'internal error of the provider');
  }
}

function resetConnection(response: ServerResponse): void {
  const { socket } = response;
  // Only a plain TCP connection can be reset; a TLS connection is closed.
  if (socket !== null && 'encrypted' in socket) socket.destroy();
  else socket?.resetAndDestroy();
}

function sendTruncated(answer: Answer, response: ServerResponse, share: number): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': body.length });
  response.flushHeaders();
  response.write(body.subarray(0, Math.floor(body.length * share)));
  // Sends what was written, then closes.
  response.socket?.destroySoon();
}

/** The answer that a rule gives in place of the provider's own. */
function replacementAnswer({ status, retryAfterSeconds, body }: ReplacementAnswer): Answer {
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  if (body === undefined) return problem(status, `the scenario answers ${status}`, headers);
  const type = /^\s*[[{]/u.test(body) ? 'application/json' : 'text/plain; charset=utf-8';
  return { status, headers: { 'Content-Type': type, ...headers }, body };
}
