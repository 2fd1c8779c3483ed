import { requirements } from '../../specs/catalogue.ts';
import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';
import type { RequirementResult, Suite } from '../core/results.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { type Mock, startMock, type Tokens } from '../mock/index.ts';
import { conform } from '../run/conform.ts';
import { maxFurtherRequests } from '../run/schedule.ts';
import { httpClient, type SessionClient } from '../run/session.ts';
import { basePathOf, makeTarget } from '../target/make.ts';
import type { Target } from '../target/target.ts';

/** The cost of a suite, and the requirements without a verdict, if the provider conforms. */
export interface CostEstimate {
  readonly suite: Suite;
  /** The seed of the runs that the estimate is for. */
  readonly seed: number;
  readonly requests: number;
  /** The number of requests if the provider refuses everything that it may refuse. */
  readonly mostRequests: number;
  /** True if the requests were counted; false if they are extrapolated from shorter lists. */
  readonly exact: boolean;
  /** Estimated duration in seconds, including the wait for a token to expire. */
  readonly seconds: number;
  readonly waitingSeconds: number;
  /** Whether limits.maxRequests stops the run. */
  readonly bounded: boolean;
  /** Requirements that will have no verdict, with the reason. */
  readonly open: readonly OpenRequirement[];
}

export type OpenRequirement = Pick<RequirementResult, 'id' | 'resource' | 'verdict' | 'reason'>;

interface CostInput extends Omit<SimulationInput, 'expiry'> {
  /** Median response time in milliseconds. */
  readonly latencyMs: number;
}

const smokeIds = new Set<string>(requirements.filter(({ smoke }) => smoke).map(({ id }) => id));

/** Maximum records of all lists together in a simulated run. */
const MAX_SIMULATED_RECORDS = 100_000;

/** An extrapolated number above a limit by this factor is certainly above it. */
const ESTIMATE_TOLERANCE = 1.1;

/** Estimates the cost of a suite by simulating a run against a reference provider that resembles the target. */
export async function estimateCost(input: CostInput): Promise<CostEstimate> {
  const { suite, seed, target } = input;
  // `certify` waits for a token to expire unless the target has an expired token.
  const expiry = suite === 'certify' && target.expiredToken === null;
  const total = input.records.reduce((sum, count) => sum + count, 0);
  const isShort = total <= MAX_SIMULATED_RECORDS;
  const simulation = await (isShort ? simulateRun : extrapolateRequests)({ ...input, expiry });
  const requestCount = simulation.requests;
  const { maxRequests } = target.limits;
  const requests = Math.min(requestCount, maxRequests);
  const mostRequests = Math.min(requestCount + maxFurtherRequests(target, { suite, only: [] }), maxRequests);
  const waitingSeconds = Math.round(simulation.waitedMs / 1000 / target.expiry.clockRate);
  return {
    suite,
    seed,
    requests,
    mostRequests,
    exact: isShort || requestCount > maxRequests * ESTIMATE_TOLERANCE,
    seconds: Math.ceil(workSeconds(requests, input)) + waitingSeconds,
    waitingSeconds,
    bounded: requestCount > maxRequests,
    open: simulation.open,
  };
}

/** Extrapolates linearly: each page costs the same number of requests. */
async function extrapolateRequests(input: SimulationInput): Promise<Simulation> {
  const total = input.records.reduce((sum, count) => sum + count, 0);
  const simulateShare = (share: number): Promise<Simulation> =>
    simulateRun({ ...input, records: input.records.map((count) => Math.round(count * share)) });
  const largestShare = MAX_SIMULATED_RECORDS / total;
  const [shorter, longer] = [await simulateShare(largestShare / 2), await simulateShare(largestShare)];
  const perShare = (longer.requests - shorter.requests) / (largestShare / 2);
  return { ...longer, requests: Math.round(longer.requests + perShare * (1 - largestShare)) };
}

/** The duration by the rate limit or by the response times, the longer of the two. */
function workSeconds(requests: number, { target, latencyMs }: CostInput): number {
  const { requestsPerSecond, concurrency } = target.limits;
  return Math.max(requests / requestsPerSecond, (requests * latencyMs) / 1000 / concurrency);
}

/** Facts about a provider that decide the number of requests. */
interface SimulationInput {
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
interface Simulation {
  readonly requests: number;
  /** Milliseconds of waiting for a token to expire. */
  readonly waitedMs: number;
  readonly open: readonly OpenRequirement[];
}

/**
 * Runs a suite against a conforming reference provider that resembles the target, and counts the requests. The same checks and
 * seed send the same requests, so the count equals that of a real run without limits.maxRequests. Waiting takes no time. Custom
 * checks are left out, because they expect the target's data.
 */
export async function simulateRun(input: SimulationInput): Promise<Simulation> {
  const clock = new SimulatedClock();
  const { target, suite, seed, expiry, signal } = input;
  const mock = await startMock({
    clock: () => clock.now(),
    tokens: input.tokens,
    basePath: basePathOf(target.baseUrl),
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
      listener: (event) => {
        if (event.type === 'target-started') openVerdicts = event.requirements;
        // Waits may end when only the waiting checks are left.
        if (event.type === 'verdict' && --openVerdicts <= waitingChecks) clock.releaseWaits();
      },
      signal,
      environment: {},
      replay: { connect: (parts) => onClock(httpClient(parts), clock), clock, redactor: new Redactor() },
    });
    const [result] = results.targets;
    if (result === undefined) throw new Error('a simulated run has one target');
    const open = result.requirements
      .filter(({ id, verdict }) => verdict !== 'pass' && (suite !== 'smoke' || smokeIds.has(id)))
      .map(({ id, resource, verdict, reason }) => ({ id, resource, verdict, reason }));
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

/** The client with exchanges that have the times of the simulated clock. */
function onClock(client: SessionClient, clock: SimulatedClock): SessionClient {
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
  /** Sum of all waits in milliseconds. */
  waitedMs = 0;
  releaseWaits: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.releaseWaits = resolve;
  });

  now(): number {
    return SYSTEM_CLOCK.now() + this.waitedMs;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.#released;
    this.waitedMs += Math.max(0, milliseconds);
  }
}
