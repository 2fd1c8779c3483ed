import type { Suite } from '../core/results.ts';
import type { Verdict } from '../core/verdict.ts';
import { maxFurtherRequests } from '../run/observations.ts';
import { type Simulation, type SimulationInput, simulateRun } from './simulation.ts';

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
  /** Seconds of that wait. */
  readonly waitingSeconds: number;
  /** Whether limits.maxRequests stops the run. */
  readonly bounded: boolean;
  /** Requirements that will have no verdict, with the reason. */
  readonly open: readonly OpenRequirement[];
}

/** A requirement that will have no verdict. */
export interface OpenRequirement {
  readonly id: string;
  readonly resource: string | null;
  readonly verdict: Verdict;
  readonly reason: string;
}

interface CostInput extends Omit<SimulationInput, 'expiry'> {
  /** Median response time in milliseconds. */
  readonly latencyMs: number;
}

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
  const { requestCount, simulation } = await (isShort ? countRequests : extrapolateRequests)(
    { ...input, expiry },
    total,
  );
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
    open: simulation.open.map(({ id, resource, verdict, reason }) => ({
      id,
      resource,
      verdict,
      reason: reason ?? '',
    })),
  };
}

interface RequestCount {
  /** Requests of a run without limits.maxRequests. */
  readonly requestCount: number;
  readonly simulation: Simulation;
}

async function countRequests(input: SimulationInput): Promise<RequestCount> {
  const simulation = await simulateRun(input);
  return { requestCount: simulation.requests, simulation };
}

/** Extrapolates linearly: each page costs the same number of requests. */
async function extrapolateRequests(input: SimulationInput, total: number): Promise<RequestCount> {
  const simulateShare = (share: number): Promise<Simulation> =>
    simulateRun({ ...input, records: input.records.map((count) => Math.round(count * share)) });
  const largestShare = MAX_SIMULATED_RECORDS / total;
  const [shorter, longer] = [await simulateShare(largestShare / 2), await simulateShare(largestShare)];
  const perShare = (longer.requests - shorter.requests) / (largestShare / 2);
  return { requestCount: Math.round(longer.requests + perShare * (1 - largestShare)), simulation: longer };
}

/** The duration by the rate limit or by the response times, the longer of the two. */
function workSeconds(requests: number, { target, latencyMs }: CostInput): number {
  const { requestsPerSecond, concurrency } = target.limits;
  return Math.max(requests / requestsPerSecond, (requests * latencyMs) / 1000 / concurrency);
}
