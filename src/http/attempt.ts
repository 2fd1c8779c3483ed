import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import {
  type Exchange,
  type Failure,
  type Header,
  type HttpAnswer,
  type HttpRequest,
  headerOf,
} from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import { answersOf } from './answer/answer-stream.ts';
import { isTruncatedJson, type LargeBodyLock, readBody } from './answer/body-reader.ts';
import { AttemptTimer } from './attempt-timer.ts';
import { failure, failureFrom, stopped } from './failure.ts';
import { type ConnectionState, isUnexplained503 } from './pacing/retry.ts';
import type { BodyLimit } from './request.ts';
import type { Route } from './route.ts';

type Outcome = Pick<Exchange, 'answer' | 'failure' | 'startedAt' | 'firstByteMs' | 'durationMs'>;

/** The outcome of a request that is not sent. */
export function unsent(failure: Failure): Outcome {
  return { answer: null, failure, startedAt: Date.now(), firstByteMs: null, durationMs: 0 };
}

export interface Attempted extends ConnectionState {
  readonly outcome: Outcome;
  readonly socket: Socket | null;
  /** Whether the answer looks truncated: it ends with the connection, and its JSON is incomplete. */
  readonly isCut: boolean;
  /** Releases the large-body lock. Call it after recording the answer. */
  readonly release: () => void;
}

export interface AttemptLimits extends Limits {
  /** Shared by all attempts of a client. */
  readonly largeBodyLock: LargeBodyLock;
  /** Functions that abort the attempts in flight. Shared by all attempts of a client. */
  readonly inFlight: Set<() => void>;
  /** Origins that sent unsolicited bytes; the next request to them fails for that reason. Shared by all attempts. */
  readonly originsWithExtraBytes: Set<string>;
}

interface AttemptParts {
  readonly sent: HttpRequest;
  readonly route: Route;
  readonly limits: AttemptLimits;
  readonly bodyLimit: BodyLimit;
  /** Whether it is sent over the single connection of the route, unless it closes its connection. */
  readonly overSingle: boolean;
  /** Connections that may be open at most, if idle ones can be closed; null for no limit. */
  readonly maxOpen: number | null;
  readonly signal: AbortSignal;
}

/** Sends a request once and waits for the complete answer, within the limits. Never throws. */
export function attempt(parts: AttemptParts): Promise<Attempted> {
  return new Promise((resolve) => new Attempt(parts, resolve).start());
}

class Attempt {
  readonly #parts: AttemptParts;
  readonly #resolve: (result: Attempted) => void;
  readonly #timer: AttemptTimer;
  /** Ends the watch for idle connections that keep the server from answering; null once it has ended. */
  #endWatch: ((hasAnswered: boolean) => void) | null = null;
  #request: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #socket: Socket | null = null;
  #stopBody: ((gaveUp: boolean) => void) | null = null;
  #releaseBody: () => void = () => undefined;
  #isReached: boolean = false;
  #isConnected: boolean = false;
  #interim = 0;
  #settled: boolean = false;
  #hasExtra: boolean = false;

  constructor(parts: AttemptParts, resolve: (result: Attempted) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.#timer = new AttemptTimer(parts.sent.origin, parts.limits, (failure) => this.#fail(failure));
  }

  start(): void {
    if (this.#parts.limits.originsWithExtraBytes.delete(this.#parts.sent.origin)) {
      this.#failMalformed('sent unsolicited bytes on an idle connection');
      return;
    }
    this.#parts.limits.inFlight.add(this.#interrupt);
    this.#endWatch = this.#parts.route.agents.watchStall();
    try {
      this.#dispatch();
    } catch (error) {
      this.#fail(this.#explain(error));
    }
  }

  #dispatch(): void {
    const { method, target, headers, body } = this.#parts.sent;
    const { secure, host, port, prefix, hopHeaders, secureContext, checkServerIdentity } = this.#parts.route;
    const request = (secure ? httpsRequest : httpRequest)({
      agent: this.#agent(),
      // Without it, the proxy agent guesses the protocol from a stack trace and does not reuse idle connections.
      protocol: secure ? 'https:' : 'http:',
      host,
      port,
      method,
      path: prefix + target,
      headers: [...headers, ...hopHeaders].flat(),
      maxHeaderSize: this.#parts.limits.maxHeaderBytes,
      // Also where NODE_TLS_REJECT_UNAUTHORIZED is 0.
      rejectUnauthorized: true,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(checkServerIdentity === undefined ? {} : { checkServerIdentity }),
    });
    this.#request = request;
    // Node.js silently drops headers beyond its default limit.
    request.maxHeadersCount = 0;
    request.on('socket', (socket) => this.#onSocket(socket, request.reusedSocket));
    request.on('proxyConnect', (answer: { readonly statusCode?: number }) => this.#onTunnel(answer));
    request.on('information', () => this.#onInterim());
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      this.#failMalformed('switched to a protocol that was not requested');
    });
    request.on('response', (response) => this.#onResponse(response));
    request.on('error', (error) => this.#onLoss(error));
    request.on('close', () => this.#onLoss(null));
    request.end(body === null ? undefined : Buffer.from(body));
  }

  #agent(): HttpAgent {
    // `Connection: close` needs a new connection for each request.
    const { sent, route, overSingle, maxOpen } = this.#parts;
    const isNew = headerOf(sent.headers, 'connection')?.toLowerCase() === 'close';
    return route.agents.choose({ isNew, isSingle: overSingle, maxOpen });
  }

  readonly #interrupt = (): void => {
    this.#fail(stopped(this.#parts.signal, `${this.#parts.sent.origin} had answered`));
  };

  #onSocket(socket: Socket, reused: boolean): void {
    this.#socket = socket;
    const { origin } = this.#parts.sent;
    const { originsWithExtraBytes } = this.#parts.limits;
    answersOf(socket).begin(() => originsWithExtraBytes.add(origin));
    socket.on('data', this.#onBytes);
    this.#isReached = !socket.connecting;
    if (reused || (this.#isReached && !this.#parts.route.secure)) this.#onConnected();
    else {
      // The other end of the tunnel of a proxy.
      if (this.#isReached) this.#timer.reached();
      socket.once('connect', this.#onReached);
      socket.once('secureConnect', this.#onConnected);
    }
  }

  readonly #onBytes = (): void => {
    this.#timer.received();
    this.#endWatch?.(true);
    this.#endWatch = null;
  };

  readonly #onReached = (): void => {
    this.#isReached = true;
    this.#timer.reached();
    if (!this.#parts.route.secure) this.#onConnected();
  };

  readonly #onConnected = (): void => {
    this.#isConnected = true;
    this.#timer.connected();
  };

  #onTunnel({ statusCode }: { readonly statusCode?: number }): void {
    if (statusCode === 200) return;
    const { proxy } = this.#parts.route;
    const answer = `answered ${statusCode} to CONNECT`;
    this.#fail(
      failure('proxy', `the proxy ${proxy} did not connect to ${this.#parts.sent.origin}: it ${answer}`),
    );
  }

  #onInterim(): void {
    this.#interim += 1;
    const { maxInterim } = this.#parts.limits;
    if (this.#interim > maxInterim)
      this.#failMalformed(`sent more than ${maxInterim} interim (1xx) answers (limits.maxInterim)`);
  }

  #onResponse(response: IncomingMessage): void {
    const { origin } = this.#parts.sent;
    const { limits, bodyLimit } = this.#parts;
    const limit = limits.maxBodyBytes < limits[bodyLimit] ? 'maxBodyBytes' : bodyLimit;
    const bounds = { origin, maxBytes: limits[limit], limit, large: limits.largeBodyLock };
    const headers = pairs(response.rawHeaders);
    this.#response = response;
    response.on('error', (error) => this.#onLoss(error));
    response.on('aborted', () => this.#onLoss(null));
    const { maxHeaders } = limits;
    if (headers.length > maxHeaders) {
      const message = `${origin} sent more than ${maxHeaders} headers (limits.maxHeaders)`;
      this.#fail(failure('headers-too-large', message, 'maxHeaders'));
      return;
    }
    const coding = response.headers['transfer-encoding'];
    if (coding !== undefined && !/^(chunked|identity)$/i.test(coding.trim())) {
      this.#failMalformed('sent a transfer coding that was not requested');
      return;
    }
    if (response.statusCode === 407 && this.#parts.route.prefix !== '') {
      this.#fail(failure('proxy', `the proxy ${this.#parts.route.proxy} requires credentials (407)`));
      return;
    }
    // Check before the body is decoded: after that, the next request may already use the connection.
    response.once('end', () => {
      const socket = this.#socket;
      this.#hasExtra = socket !== null && answersOf(socket).end(this.#parts.sent.method, response);
    });
    this.#stopBody = readBody(response, headers, bounds, {
      resting: (paused) => this.#timer.pause(paused),
      failed: (failure) => this.#fail(failure),
      done: (body, bodyBytesOnWire, release) => {
        this.#releaseBody = release;
        this.#succeed(response, headers, body, bodyBytesOnWire);
      },
    });
  }

  // A connection lost after the complete answer does not matter, even while the body is still being decoded.
  #onLoss(error: Error | null): void {
    if (this.#response?.complete !== true) this.#fail(this.#explain(error));
  }

  #succeed(response: IncomingMessage, headers: readonly Header[], body: Uint8Array, bytes: number): void {
    if (this.#hasExtra) {
      this.#failMalformed('sent bytes after the end of its answer');
      this.#releaseBody();
      return;
    }
    const { statusCode = 0, statusMessage = '', httpVersion } = response;
    // The end of the connection delimits such a body (RFC 9112, 6.3), so only the JSON shows whether it is complete.
    const endsWithConnection =
      response.headers['content-length'] === undefined && response.headers['transfer-encoding'] === undefined;
    const isCut =
      statusCode === 200 && this.#parts.sent.method !== 'HEAD' && endsWithConnection && isTruncatedJson(body);
    const answer = { status: statusCode, statusText: statusMessage, httpVersion, headers, body };
    this.#settle({ ...answer, bodyBytesOnWire: bytes }, null, isCut);
  }

  #explain(error: unknown): Failure {
    const { proxy, prefix } = this.#parts.route;
    return failureFrom(error, {
      origin: this.#parts.sent.origin,
      // Through a tunnel, what is reached is the origin: the proxy has connected.
      proxy: prefix === '' && this.#isReached ? null : proxy,
      isReached: this.#isReached,
      isConnected: this.#isConnected,
      isAnswered: this.#timer.firstByteMs !== null,
      maxHeaderBytes: this.#parts.limits.maxHeaderBytes,
    });
  }

  /** @param what what the origin did */
  #failMalformed(what: string): void {
    this.#fail(failure('malformed', `${this.#parts.sent.origin} ${what}`));
  }

  #fail(failure: Failure): void {
    if (this.#settled) return;
    this.#settle(null, failure);
    this.#request?.destroy();
    this.#socket?.destroy();
  }

  #settle(answer: HttpAnswer | null, failure: Failure | null, isCut = false): void {
    if (this.#settled) {
      this.#releaseBody();
      return;
    }
    this.#settled = true;
    this.#release(failure);
    const lost = failure?.code === 'closed' || failure?.code === 'truncated';
    const { agents } = this.#parts.route;
    const isNew = this.#request?.reusedSocket === false;
    const isServed = answer !== null && answer.status !== 503;
    const isCrowded = isNew && (failure?.code === 'closed' || isUnexplained503(answer)) && agents.isCrowded();
    if (isServed && this.#socket !== null) agents.served(this.#socket);
    const { startedAt, firstByteMs, elapsedMs: durationMs } = this.#timer;
    this.#resolve({
      outcome: { answer, failure, startedAt, firstByteMs, durationMs },
      // A socket that was never connected is no connection.
      socket: this.#isReached ? this.#socket : null,
      isStale: lost && this.#request?.reusedSocket === true && firstByteMs === null,
      isCrowded,
      isCut,
      release: this.#releaseBody,
    });
  }

  #release(failure: Failure | null): void {
    this.#timer.stop();
    this.#endWatch?.(false);
    this.#parts.limits.inFlight.delete(this.#interrupt);
    this.#stopBody?.(failure?.code === 'answer-timeout');
    this.#socket?.off('data', this.#onBytes);
    this.#socket?.off('connect', this.#onReached);
    this.#socket?.off('secureConnect', this.#onConnected);
  }
}

function pairs(raw: readonly string[]): Header[] {
  const headers: Header[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    headers.push([raw[index] ?? '', raw[index + 1] ?? '']);
  }
  return headers;
}
