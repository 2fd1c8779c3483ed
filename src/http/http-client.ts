import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Exchange, Failure, HttpRequest, TlsFacts } from '../core/exchange.ts';
import { WorkInProgress } from '../core/work-in-progress.ts';
import type { Limits, Target } from '../target/target.ts';
import { LargeBodyLock } from './answer/body-reader.ts';
import { type Attempted, type AttemptLimits, attempt, unsent } from './attempt.ts';
import { failure, failureFrom, Stop, stopped } from './failure.ts';
import { AdaptiveThrottle } from './pacing/adaptive-throttle.ts';
import { PathHealth } from './pacing/path-health.ts';
import { pause, RateLimiter } from './pacing/rate-limiter.ts';
import { isUnexplained503, type RetriedRequest, RetryPolicy, troubleOf } from './pacing/retry.ts';
import { ProxySettingError } from './proxy.ts';
import { asSent, type BodyLimit, mayContact, type SendOptions, unsendable } from './request.ts';
import { CertificateFileError, Routes } from './route.ts';

export interface HttpClientOptions {
  readonly limits: Limits;
  readonly tls: Target['tls'];
  /** Allowed origins, in the form of `URL.origin`. */
  readonly origins: readonly string[];
  /** Environment with HTTP_PROXY, HTTPS_PROXY and NO_PROXY; an empty object for no proxy. */
  readonly env: NodeJS.ProcessEnv;
  /** Aborts all requests in flight or queued with the failure `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** What all but this client receives in place of an exchange with an answer. */
  readonly mask?: ((exchange: Exchange) => Exchange) | undefined;
  /**
   * Called with every completed exchange, including retries and refused requests, and with the `requester` of `send`. Must not
   * throw. `send` awaits the promise that it may return, so that a slow disk slows down the requests.
   */
  readonly onExchange?: ((exchange: Exchange, requester: string | null) => unknown) | undefined;
}

/**
 * The HTTP client. It sends requests unchanged, only to the allowed origins, within the limits. It does not
 * judge: every result is returned as an exchange.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #stop = new AbortController();
  readonly #attemptLimits: AttemptLimits;
  readonly #health: PathHealth;
  readonly #deadline: NodeJS.Timeout;
  readonly #throttle: AdaptiveThrottle;
  readonly #limiter: RateLimiter;
  readonly #routes: Routes;
  /** Read once for each connection, because parsing the certificate takes time. */
  readonly #connections = new WeakMap<Socket, ConnectionFacts>();
  #connectionCount = 0;
  readonly #pending = new WorkInProgress();
  #nextNumber = 1;
  #sentCount = 0;
  #totalBytes = 0;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    // Each waiting request adds a listener; this is not a leak.
    setMaxListeners(0, this.#stop.signal);
    this.#attemptLimits = {
      ...options.limits,
      largeBodyLock: new LargeBodyLock(),
      originsWithExtraBytes: new Set(),
      inFlight: new Set(),
    };
    // An abort listener per request would cost more than all other bookkeeping of the request.
    this.#stop.signal.addEventListener('abort', () => {
      for (const interrupt of [...this.#attemptLimits.inFlight]) interrupt();
    });
    this.#health = new PathHealth(options.limits);
    const seconds = options.limits.maxRunSeconds;
    this.#deadline = setTimeout(() => this.#stop.abort(Stop.outOfTime(seconds)), seconds * 1000);
    this.#deadline.unref();
    this.#throttle = new AdaptiveThrottle(options.limits, this.#stop.signal);
    this.#limiter = new RateLimiter(options.limits, this.#stop.signal);
    this.#routes = new Routes(options.tls, options.env, this.#stop.signal);
    if (options.signal?.aborted === true) this.#interrupt();
    else options.signal?.addEventListener('abort', this.#interrupt, { once: true });
  }

  /**
   * Sends a request and retries it within the limits: after 429, 503, a refused connection or a stale kept-alive connection; if
   * it is idempotent, also after another 5xx, a lost connection or a truncated answer. Each attempt is a separate exchange.
   *
   * @returns the last of these exchanges; never throws: an error is the exchange's `failure`
   */
  send(request: HttpRequest, options: SendOptions = {}): Promise<Exchange> {
    const { isUrgent = false } = options;
    const sent = asSent(request);
    const sending: Sending = {
      bodyLimit: 'maxBodyBytes',
      maxRetries: Number.POSITIVE_INFINITY,
      isInVain: () => false,
      requester: null,
      ...options,
      sent,
      isIdempotent: options.isIdempotent === true || sent.method === 'GET' || sent.method === 'HEAD',
      turn: null,
    };
    return this.#pending.add(this.#sendInTurn(sending, isUrgent));
  }

  get sentCount(): number {
    return this.#sentCount;
  }

  /** Aborted when the run is stopped or exceeds limits.maxRunSeconds; the reason is a `Stop`. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborts requests in flight with the failure `interrupted` and closes all connections. */
  async close(): Promise<void> {
    clearTimeout(this.#deadline);
    this.#interrupt();
    this.#options.signal?.removeEventListener('abort', this.#interrupt);
    await this.#pending.settled();
    this.#routes.close();
  }

  readonly #interrupt = (): void => this.#stop.abort(Stop.interrupted());

  async #sendInTurn(sending: Sending, isUrgent: boolean): Promise<Exchange> {
    const exchange = await this.#send(sending, isUrgent);
    await sending.turn;
    return exchange;
  }

  async #send(sending: Sending, isUrgent: boolean): Promise<Exchange> {
    const refusal = this.#refusal(sending.sent);
    if (refusal !== null) return await this.#unsent(sending, refusal, 0);
    if (!(await this.#limiter.enter(isUrgent))) return await this.#unsent(sending, this.#stopped(), 0);
    try {
      return await this.#deliver(sending);
    } finally {
      this.#limiter.leave();
    }
  }

  #refusal(sent: HttpRequest): Failure | null {
    if (mayContact(sent.origin, this.#options.origins)) return unsendable(sent);
    const allowed = this.#options.origins.join(' and ');
    const message = `nothing was sent to ${printable(sent.origin)}: Assay contacts only ${allowed}`;
    return failure('forbidden-origin', message);
  }

  // A waiting retry keeps its slot, so that a throttled request slows down all requests.
  async #deliver(sending: Sending): Promise<Exchange> {
    const { sent } = sending;
    const policy = new RetryPolicy(sending, this.#options.limits, this.#health);
    for (let retry = 0; ; retry += 1) {
      if (!(await this.#throttle.enter(sent.origin, policy.mayRetry)))
        return await this.#unsent(sending, this.#stopped(), retry);
      let result: Exchange | Wait;
      try {
        result = await this.#try(sending, policy, retry);
      } finally {
        this.#throttle.leave();
      }
      if (!('waitMs' in result)) return result;
      if (!(await pause(result.waitMs, this.#stop.signal)))
        return await this.#unsent(sending, this.#stopped(), retry + 1);
    }
  }

  /** Makes one attempt. Returns its exchange, or how long to wait for the next attempt. */
  async #try(sending: Sending, policy: RetryPolicy, retry: number): Promise<Exchange | Wait> {
    const { sent } = sending;
    const refusal = this.#limitReached(sent) ?? this.#health.refusal(sent);
    if (refusal !== null) return await this.#unsent(sending, refusal, retry);
    this.#sentCount += 1;
    if (!(await this.#limiter.pace())) {
      this.#sentCount -= 1;
      return await this.#unsent(sending, this.#stopped(), retry);
    }
    const sentAt = this.#throttle.sent(sent.origin);
    const { exchange, masked, attempted } = await this.#attempt(sending, retry);
    const isLimit = exchange.answer !== null && exchange.answer.status === sending.limitStatus;
    const shown = isLimit ? 'throttled' : troubleOf(exchange, attempted.isCut);
    const trouble = shown === 'throttled' && this.#health.isRefusedAgain(exchange) ? null : shown;
    const waitMs = policy.waitAfter(exchange, trouble, attempted);
    if (attempted.isCrowded) this.#throttle.reduceConcurrency(sentAt);
    else if (exchange.answer !== null) {
      const { answer } = exchange;
      if (trouble !== 'throttled' && answer.status !== 503) this.#throttle.answered(sent.origin, sentAt);
      else if (!sending.isInVain())
        this.#throttle.slowDown(sent.origin, sentAt, { waitMs, hasReason: !isUnexplained503(answer) });
      if (trouble === null) this.#health.answered(sent, answer.status, sentAt);
    }
    if (waitMs !== null) return { waitMs };
    const { failedAt, hasObeyed } = policy;
    this.#health.record(exchange, trouble, { since: failedAt ?? performance.now(), hasObeyed });
    return masked;
  }

  async #attempt(sending: Sending, retry: number): Promise<AttemptedExchange> {
    const { sent, onAnswer } = sending;
    const number = this.#nextNumber++;
    const attempted = await this.#transfer(sending);
    const { outcome, socket, release } = attempted;
    const connection = this.#factsOf(socket);
    const exchange: Exchange = { number, request: sent, ...outcome, ...connection, retry };
    // A body that is too large was read up to the limit.
    this.#totalBytes +=
      exchange.failure?.code === 'body-too-large'
        ? Math.min(this.#options.limits.maxBodyBytes, this.#options.limits[sending.bodyLimit])
        : (exchange.answer?.body.length ?? 0);
    try {
      const masked = this.#options.mask?.(exchange) ?? exchange;
      const recorded = this.#record(sending, masked);
      if (masked.answer !== null) onAnswer?.(masked);
      await recorded;
      return { exchange, masked, attempted };
    } finally {
      release();
    }
  }

  async #transfer({ sent, bodyLimit, overSingle = false }: Sending): Promise<Attempted> {
    try {
      const route = await this.#routes.to(sent.origin);
      const { signal } = this.#stop;
      const maxOpen = this.#throttle.reducedConcurrency;
      return await attempt({
        sent,
        route,
        limits: this.#attemptLimits,
        bodyLimit,
        overSingle,
        maxOpen,
        signal,
      });
    } catch (error) {
      const why = setupFailure(error, sent.origin);
      const connection = { isStale: false, isCrowded: false, isCut: false };
      return { outcome: unsent(why), socket: null, release: () => undefined, ...connection };
    }
  }

  async #unsent(sending: Sending, why: Failure, retry: number): Promise<Exchange> {
    const number = this.#nextNumber++;
    const exchange: Exchange = { number, request: sending.sent, ...unsent(why), connection: null, retry };
    await this.#record(sending, exchange);
    return exchange;
  }

  #record(sending: Sending, exchange: Exchange): unknown {
    sending.turn = nextTurn();
    return this.#options.onExchange?.(exchange, sending.requester);
  }

  #limitReached({ origin }: HttpRequest): Failure | null {
    const { maxRequests, maxTotalBytes } = this.#options.limits;
    const refusal = (used: string, limit: keyof Limits): Failure =>
      failure(
        'request-limit',
        `nothing more was sent to ${origin}: all ${used} (limits.${limit}) are used up`,
        limit,
      );
    if (this.#sentCount >= maxRequests) return refusal(`${maxRequests} requests`, 'maxRequests');
    if (this.#totalBytes >= maxTotalBytes)
      return refusal(`${maxTotalBytes} bytes of answers`, 'maxTotalBytes');
    return null;
  }

  #stopped(): Failure {
    return stopped(this.#stop.signal, 'this was sent');
  }

  /** The number of a connection, from 1, and its TLS facts: none for plain http or a failed handshake. */
  #factsOf(socket: Socket | null): ConnectionFacts {
    if (socket === null) return { connection: null };
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    this.#connectionCount += 1;
    const tls = socket instanceof TLSSocket ? readTls(socket) : null;
    const facts = { connection: this.#connectionCount, ...(tls === null ? {} : { tls }) };
    this.#connections.set(socket, facts);
    return facts;
  }
}

interface AttemptedExchange {
  readonly exchange: Exchange;
  /** The exchange as others receive it. */
  readonly masked: Exchange;
  readonly attempted: Attempted;
}

/** The milliseconds until a request is sent again. */
interface Wait {
  readonly waitMs: number;
}

interface Sending extends Omit<SendOptions, keyof RetriedRequest>, RetriedRequest {
  readonly bodyLimit: BodyLimit;
  readonly requester: string | null;
  /**
   * The turn of the event loop in which `send` resolves, after the last exchange is recorded. Each answer has its own, so
   * that the effects of one answer have settled before the next one: in the order of recording, as in a replay.
   */
  turn: Promise<void> | null;
}

function setupFailure(error: unknown, origin: string): Failure {
  const isCertificate = error instanceof CertificateFileError;
  if (isCertificate || error instanceof ProxySettingError)
    return failure(isCertificate ? 'tls' : 'proxy', `no request was sent to ${origin}: ${error.message}`);
  return failureFrom(error, { origin });
}

function printable(text: string): string {
  const safe = text.replace(/[^\x21-\x7e]/g, '?');
  return safe.length > 200 ? `${safe.slice(0, 200)}…` : safe;
}

type ConnectionFacts = Pick<Exchange, 'connection' | 'tls'>;

function readTls(socket: TLSSocket): TlsFacts | null {
  const version = socket.getProtocol();
  if (version === null || version === 'unknown') return null;
  const ends = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return { version, certificateEnds: Number.isNaN(ends) ? null : new Date(ends).toISOString() };
}
