import { requirement } from '../../specs/catalogue.ts';
import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';
import type { RequirementResult, Suite } from '../core/results.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { HttpClient } from '../http/http-client.ts';
import { type Mock, startMock, type Tokens } from '../mock/index.ts';
import { conform } from '../run/conform.ts';
import type { SessionClient, SessionClientParts } from '../run/session-client.ts';
import { makeTarget, originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';

/** Facts about a provider that decide the number of requests. */
export interface SimulationInput {
  readonly target: Target;
  /** Records of each list, in the order of the target's resources. */
  readonly records: readonly number[];
  readonly tokens: Tokens;
  readonly suite: Suite;
  readonly seed: number;
  readonly expiry: boolean;
  readonly signal: AbortSignal | null;
}

/** The result of a simulated run. */
export interface Simulation {
  readonly requests: number;
  /** Milliseconds of waiting for a token to expire. */
  readonly waitedMs: number;
  /** Requirements without a verdict, with the reason. */
  readonly open: readonly RequirementResult[];
}

/**
 * Runs a suite against a conforming reference provider that resembles the target, and counts the requests.
 * The same checks and seed send the same requests, so the count equals that of a real run without
 * limits.maxRequests. Waiting takes no time. Custom checks are left out, because they expect the target's
 * data.
 */
export async function simulateRun(input: SimulationInput): Promise<Simulation> {
  const clock = new SimulatedClock();
  const { target, suite, seed, expiry, signal } = input;
  const mock = await startMock({
    clock: () => clock.now(),
    tokens: input.tokens,
    basePath: new URL(target.baseUrl).pathname.replace(/\/+$/u, ''),
    credentials: target.credentials,
    ...(target.otherCredentials === null ? {} : { otherCredentials: target.otherCredentials }),
    resources: target.resources.map(({ path }, index) => ({ path, records: input.records[index] ?? 0 })),
  });
  try {
    const copy = simulatedTarget(target, mock);
    let openVerdicts = 0;
    const waitingChecks = target.expiredToken === null ? 2 : 1;
    const results = await conform([copy], {
      suite,
      only: [],
      skip: [],
      seed,
      runs: null,
      expiry,
      command: '',
      runId: 'simulation',
      evidenceFile: null,
      listener: (event) => {
        if (event.type === 'target-started') openVerdicts = event.requirements;
        // Waits may end when only the waiting checks are left.
        if (event.type === 'verdict' && --openVerdicts <= waitingChecks) clock.releaseWaits();
      },
      signal,
      environment: {},
      replay: {
        connect: (parts) => simulatedClient(parts, copy, clock, signal),
        clock,
        redactor: new Redactor(),
      },
    });
    const [result] = results.targets;
    if (result === undefined) throw new Error('a simulated run has one target');
    const open = result.requirements.filter(
      ({ id, verdict }) => verdict !== 'pass' && (suite !== 'smoke' || requirement(id).smoke),
    );
    return { requests: result.traffic.requests, waitedMs: clock.waitedMs, open };
  } finally {
    await mock.close();
  }
}

/** The target with the URLs of the mock, and without what would slow the run down. */
function simulatedTarget(target: Target, mock: Mock): Target {
  return makeTarget({
    ...target,
    authUrl: mock.authUrl,
    baseUrl: mock.baseUrl,
    expiredToken: target.expiredToken === null ? null : mock.expiredToken,
    resources: target.resources.map((list) => ({ ...list, itemSchema: 'printer', idField: 'id' })),
    // limits.maxRequests is applied to the count afterwards.
    limits: { ...target.limits, requestsPerSecond: 1_000_000, maxRequests: Number.MAX_SAFE_INTEGER },
    expiry: { ...target.expiry, clockRate: 1 },
    evidence: 'full',
    checks: [],
    tls: {},
    waivers: [],
  });
}

/** A client whose exchanges have the times of the simulated clock. */
function simulatedClient(
  parts: SessionClientParts,
  target: Target,
  clock: SimulatedClock,
  signal: AbortSignal | null,
): SessionClient {
  const client = new HttpClient({
    limits: target.limits,
    tls: target.tls,
    origins: originsOf(target),
    env: {},
    signal: signal ?? undefined,
    onExchange: parts.onExchange,
  });
  return {
    send: async (request, options) => {
      const waitedMs = clock.waitedMs;
      const exchange = await client.send(request, options);
      return { ...exchange, startedAt: exchange.startedAt + waitedMs };
    },
    signal: client.signal,
    get sentCount() {
      return client.sentCount;
    },
    close: () => client.close(),
  };
}

/**
 * A clock for simulated runs. Until `releaseWaits` is called, waits block and the time does not advance;
 * after that, each wait ends at once and advances the clock.
 */
class SimulatedClock implements Clock {
  readonly #released: Promise<void>;
  #release: () => void = () => undefined;
  #elapsedMs = 0;

  constructor() {
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  now(): number {
    return SYSTEM_CLOCK.now() + this.#elapsedMs;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.#released;
    this.#elapsedMs += Math.max(0, milliseconds);
  }

  releaseWaits(): void {
    this.#release();
  }

  /** Sum of all waits in milliseconds. */
  get waitedMs(): number {
    return this.#elapsedMs;
  }
}
