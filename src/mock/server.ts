import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getOrMake } from '../core/maps.ts';
import { conformingSteps } from './conforming.ts';
import { answerReserved, isReserved, type MockController } from './control.ts';
import { findDefect } from './defects/index.ts';
import { type Control, type MockOptions, resolveSettings, type Settings } from './options.ts';
import type { Service, Steps, TokenFormat } from './pipeline.ts';
import { requestLog } from './request-log.ts';
import { answerRequest, callOf, parseRequest, readBody } from './request-response.ts';
import { createRuleEngine, type RuleEngine } from './scenario/rule-engine.ts';
import type { Behaviour, Credentials } from './scenario/scenario.ts';
import { noteIssued } from './token-changes.ts';
import { jwtFormat, opaqueFormat } from './token-format.ts';
import { findVariant } from './variants/index.ts';

/** The steps, changed by the defects in their order. `onToken` gets each token that is issued. */
function stepsFor(defects: readonly string[], usual: Steps, onToken?: (token: string) => void): Steps {
  const steps = defects.map(findDefect).reduce((changed, defect) => defect.apply(changed), usual);
  return onToken === undefined ? steps : noteIssued(({ token }) => onToken(token))(steps);
}

/**
 * Selects the provider with these active defects. Defects keep their state until the selector is replaced.
 *
 * @throws RangeError for an unknown defect
 */
function serviceSelector(
  base: Omit<Service, 'steps'>,
  usual: Steps,
  onToken: ((token: string) => void) | undefined,
): (defects: readonly string[]) => Service {
  const services = new Map<string, Service>();
  return (defects) =>
    getOrMake(services, defects.join(' '), () => ({ ...base, steps: stepsFor(defects, usual, onToken) }));
}

interface HandlerOptions {
  readonly variant: string | undefined;
  readonly control: Control | undefined;
  readonly expiredToken: string;
}

/** The forms of a client's secret that requests may carry. */
function secretsOf({ clientId, clientSecret }: Credentials): readonly string[] {
  const texts = [clientSecret, `${clientId}:${clientSecret}`].map((text) => Buffer.from(text));
  return [clientSecret, ...texts.map((text) => text.toString('base64'))];
}

/** Creates the request handler. The scenario's clock and counts start now. */
function createRequestHandler(
  base: Omit<Service, 'steps'>,
  initial: Behaviour,
  { variant, control, expiredToken }: HandlerOptions,
) {
  const startedAt = new Date().toISOString();
  // Tokens of a variant stay valid when the defects change, and after a reset.
  const usual = variant === undefined ? conformingSteps : findVariant(variant).apply(conformingSteps);
  const secrets = [...base.clients.flatMap(secretsOf), expiredToken];
  const log = control === undefined ? undefined : requestLog(control.onLine, secrets);
  let behaviour: Behaviour;
  let engine: RuleEngine;
  let serviceWith: ReturnType<typeof serviceSelector>;
  let since = 0;
  let requests = 0;
  const begin = (next: Behaviour): void => {
    const selector = serviceSelector(base, usual, log?.hide);
    // Reports an unknown defect now, not at the first request.
    selector(next.defects ?? []);
    serviceWith = selector;
    engine = createRuleEngine(next, base.seed);
    behaviour = next;
    since = base.now();
    requests = 0;
    log?.clear();
  };
  begin(initial);
  const elapsedSeconds = (): number => (base.now() - since) / 1000;
  const controlled: MockController = {
    state: () => ({
      startedAt,
      clock: new Date(base.now()).toISOString(),
      elapsedSeconds: elapsedSeconds(),
      requests,
      ...log?.counts(),
      defects: behaviour.defects ?? [],
      rules: engine.counts(),
    }),
    last: (most) => log?.last(most) ?? [],
    reset: () => begin(behaviour),
    scenario: () => behaviour,
    replace: begin,
    read: control?.readScenario,
  };
  return {
    /** Answers one request. Rejects if the connection is lost. */
    handle: async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (log !== undefined && isReserved(incoming)) {
        return answerReserved(incoming, await readBody(incoming), response, controlled);
      }
      requests += 1;
      const number = requests;
      const body = await readBody(incoming);
      const request = parseRequest(incoming, body, number);
      const call = callOf(request, base);
      const ruling = engine;
      const effects = ruling.evaluate(request, call, elapsedSeconds());
      const { rules, defects } = effects;
      const service = serviceWith(defects);
      const at = new Date().toISOString();
      const began = performance.now();
      const outcome = await answerRequest(
        { request, isTooLarge: body === undefined, effects, service },
        response,
      );
      const durationMs = performance.now() - began;
      // An answer that ends after a reset belongs to the counts before it.
      const isCurrent = ruling === engine;
      if (outcome !== null)
        log?.add({ request, at, call, ...outcome, rules, defects, durationMs }, isCurrent);
    },
    /** Requests received since the start or the last reset. */
    requests: () => requests,
  };
}

/** A started reference provider. */
export interface Mock {
  /** Base URL of the token endpoint: POST {authUrl}/connect/token. */
  readonly authUrl: string;
  readonly baseUrl: string;
  /** A value for the Tenant header; the provider accepts any. */
  readonly tenant: string;
  readonly credentials: Credentials;
  readonly otherCredentials: Credentials;
  /** A genuine token whose validity ended two hours before the start. */
  readonly expiredToken: string;
  /** How many requests have been received. */
  readonly requests: () => number;
  /** Stops listening and closes every connection at once. */
  readonly close: () => Promise<void>;
}

function withVariant(options: MockOptions): MockOptions {
  if (options.variant === undefined) return options;
  const variant = findVariant(options.variant);
  return {
    ...(variant.records === undefined ? {} : { records: variant.records }),
    ...variant.options,
    ...(options.scenario?.latency === undefined ? {} : { latencyMs: 0 }),
    ...options,
  };
}

/** The initial behaviour. Defects of the options are applied before those of the scenario. */
function behaviourOf({ scenario = {}, defects = [] }: MockOptions, { latencyMs }: Settings): Behaviour {
  const always = [...new Set([...defects, ...(scenario.defects ?? [])])];
  for (const id of [...always, ...(scenario.rules ?? []).flatMap((rule) => rule.defects ?? [])])
    findDefect(id);
  return { ...scenario, defects: always, ...(latencyMs === 0 ? {} : { latency: { fixedMs: latencyMs } }) };
}

/** The address to listen on: loopback only. */
const HOST = '127.0.0.1';

async function listen(server: Server, { port }: Settings): Promise<number> {
  // Milliseconds; longer than a client pauses between requests, so that no request meets a closing connection.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

const HOUR_MS = 3_600_000;

/** A token that was valid for an hour and ended two hours before the start. */
function expiredToken(
  { clientId, scope }: Credentials,
  tokenFormat: TokenFormat,
  startedAt: number,
): Promise<string> {
  const expiresAt = startedAt - 2 * HOUR_MS;
  return tokenFormat.mint({ clientId, scope, expiresAt }, expiresAt - HOUR_MS);
}

/**
 * Starts the reference provider on loopback. Throws RangeError for options out of bounds and for unknown defects or
 * variants, and the error of `listen` if the port is in use.
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const settings = resolveSettings(withVariant(options));
  const startedAt = Date.now();
  const now = options.clock ?? (() => startedAt + (Date.now() - startedAt) * settings.clockRate);

  const behaviour = behaviourOf(options, settings);
  const { tls } = options;
  const server = tls === undefined ? createServer() : (await import('node:https')).createServer({ ...tls });
  const port = await listen(server, settings);
  const origin = `${tls === undefined ? 'http' : 'https'}://${HOST}:${port}`;
  const parties = { issuer: origin, audience: `${origin}${settings.basePath}` };
  const tokenFormat = settings.tokens === 'jwt' ? await jwtFormat(parties) : opaqueFormat(now);
  const { credentials, otherCredentials, resources, basePath, seed } = settings;
  const base = {
    credentials,
    otherCredentials,
    clients: [credentials, otherCredentials],
    resources,
    basePath,
    seed,
    origin,
    now,
    tokenFormat,
  };
  const { variant, control } = options;
  const expired = await expiredToken(credentials, tokenFormat, startedAt);
  const handler = createRequestHandler(base, behaviour, { variant, control, expiredToken: expired });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    // Fails if the client has closed the connection.
    handler.handle(incoming, response).catch(() => response.destroy());
  });
  return {
    authUrl: origin,
    baseUrl: `${origin}${basePath}`,
    tenant: 'reference',
    credentials,
    otherCredentials,
    expiredToken: expired,
    requests: handler.requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
