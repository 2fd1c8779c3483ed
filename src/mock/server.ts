import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { problem } from './conforming/gate.ts';
import { conformingSteps } from './conforming/index.ts';
import { findDefect } from './defects/index.ts';
import { type Credentials, type MockOptions, settle } from './options.ts';
import { type Answer, type Received, Refused, type Service, type Steps } from './steps.ts';
import { jwtFormat, opaqueFormat } from './token-format.ts';
import { findVariant } from './variants/index.ts';

/** A started reference provider. */
export interface Mock {
  /** Where tokens are had: POST {authUrl}/connect/token. */
  readonly authUrl: string;
  /** What the paths of the lists are added to. */
  readonly baseUrl: string;
  /** A value for the Tenant header; the provider takes any. */
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

const mostBodyBytes = 65_536;

/** Reads the body; undefined when it is larger than any request here has cause to be. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > mostBodyBytes) return undefined;
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}

function received(incoming: IncomingMessage, body: Buffer, number: number): Received {
  const target = incoming.url ?? '';
  const mark = target.indexOf('?');
  return {
    number,
    method: incoming.method ?? '',
    target,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: incoming.headers,
    body,
    connection: incoming.socket,
  };
}

async function answerOf(request: Received, service: Service): Promise<Answer> {
  try {
    return await service.steps.receive(request, service);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    return problem(500, error instanceof Error ? error.message : 'the provider broke');
  }
}

/** The chain of steps that the options ask for: the variant first, then the defects in their order. */
function stepsFor(options: MockOptions): Steps {
  const changes = [
    ...(options.variant === undefined ? [] : [findVariant(options.variant)]),
    ...(options.defects ?? []).map(findDefect),
  ];
  return changes.reduce((steps, change) => change.apply(steps), conformingSteps);
}

function withVariant(options: MockOptions): MockOptions {
  if (options.variant === undefined) return options;
  const variant = findVariant(options.variant);
  return {
    ...(variant.records === undefined ? {} : { records: variant.records }),
    ...variant.options,
    ...options,
  };
}

/**
 * Starts the reference provider on loopback. Throws RangeError for options out of bounds and for unknown
 * defects or variants, and what `listen` throws when the port is taken.
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const settings = settle(withVariant(options));
  const steps = stepsFor(options);
  const startedAt = Date.now();
  const now = (): number => startedAt + (Date.now() - startedAt) * settings.clockRate;

  let requests = 0;
  let service: Service | undefined;
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const number = requests;
    if (service === undefined) return;
    const body = await bodyOf(incoming);
    const request = received(incoming, body ?? Buffer.alloc(0), number);
    const answer =
      body === undefined ? problem(413, 'the body is too large') : await answerOf(request, service);
    const finished = await steps.respond(answer, request, service);
    if (settings.latencyMs > 0) await wait(settings.latencyMs, undefined, { ref: false });
    if (!response.destroyed) steps.deliver(finished, response, request, service);
  };
  const server = createServer((incoming, response) => {
    // A connection that is lost in the middle concerns nobody but its client.
    handle(incoming, response).catch(() => response.destroy());
  });
  // Long enough that a client which pauses between requests never meets a connection just closed.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });

  const { port } = server.address() as AddressInfo;
  const origin = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
  const parties = { issuer: origin, audience: `${origin}${settings.basePath}` };
  const tokenFormat = settings.tokens === 'jwt' ? await jwtFormat(parties) : opaqueFormat(now);
  const { credentials, otherCredentials, resources, basePath, seed, tokens } = settings;
  service = {
    steps,
    credentials,
    otherCredentials,
    clients: [credentials, otherCredentials],
    resources,
    basePath,
    seed,
    tokens,
    origin,
    now,
    tokenFormat,
  };
  const twoHours = 7_200_000;
  const session = {
    clientId: credentials.clientId,
    scope: credentials.scope,
    expiresAt: startedAt - twoHours,
  };
  return {
    authUrl: origin,
    baseUrl: `${origin}${basePath}`,
    tenant: 'reference',
    credentials,
    otherCredentials,
    expiredToken: await tokenFormat.mint(session, session.expiresAt - 3_600_000),
    requests: () => requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
