import type { Suite } from '../core/results.ts';
import type { Verdict } from '../core/verdict.ts';
import { mostFurtherRequests } from '../run/observe-all.ts';
import { type Simulation, type SimulationInput, simulateRun } from './simulation.ts';

/** What a suite will cost and leave open on a target, if the provider keeps every rule. */
export interface CostEstimate {
  readonly suite: Suite;
  /** The forecast holds for runs with this seed. */
  readonly seed: number;
  readonly requests: number;
  /** The same if it refuses everything that the specification leaves it free to refuse. */
  readonly mostRequests: number;
  /** Whether the numbers are counted; false where lists are so long that it is reckoned from shorter ones. */
  readonly exact: boolean;
  /** About how long a run will take, waiting for a token to expire included. */
  readonly seconds: number;
  /** Of these, seconds spent waiting for a token to expire. */
  readonly waitingSeconds: number;
  /** Whether the bound on requests (limits.maxRequests) cuts the run short. */
  readonly bounded: boolean;
  /** Requirements that will not be judged, with the reason. */
  readonly open: readonly OpenRequirement[];
}

/** A requirement that will not be judged. */
export interface OpenRequirement {
  readonly id: string;
  readonly resource: string | null;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** What is needed to foretell one suite. */
export interface CostInput extends Omit<SimulationInput, 'expiry'> {
  /** Milliseconds that an answer takes. */
  readonly latencyMs: number;
}

/** Records of all lists together up to which a run is rehearsed in full. */
const MAX_SIMULATED_RECORDS = 100_000;

/** What is reckoned may be off by a little; past a bound by this factor, it is past it all the same. */
const ESTIMATE_TOLERANCE = 1.1;

/** Foretells what a suite costs: by running it in full against a provider of our own that resembles the target. */
export async function estimateCost(foretold: CostInput): Promise<CostEstimate> {
  const { suite, seed, target } = foretold;
  // A certification waits for a token to expire unless it is given an expired one.
  const expiry = suite === 'certify' && target.expiredToken === null;
  const total = foretold.records.reduce((sum, count) => sum + count, 0);
  const short = total <= MAX_SIMULATED_RECORDS;
  const { asked, rehearsal } = await (short ? countRequests : extrapolateRequests)(
    { ...foretold, expiry },
    total,
  );
  const { maxRequests } = target.limits;
  const requests = Math.min(asked, maxRequests);
  const mostRequests = Math.min(asked + mostFurtherRequests(target, { suite, only: [] }), maxRequests);
  const waitingSeconds = Math.round(rehearsal.waitedMs / 1000 / target.expiry.clockRate);
  return {
    suite,
    seed,
    requests,
    mostRequests,
    exact: short || asked > maxRequests * ESTIMATE_TOLERANCE,
    seconds: Math.ceil(workSeconds(requests, foretold)) + waitingSeconds,
    waitingSeconds,
    bounded: asked > maxRequests,
    open: rehearsal.open.map(({ id, resource, verdict, reason }) => ({
      id,
      resource,
      verdict,
      reason: reason ?? '',
    })),
  };
}

interface RequestCount {
  /** Requests of a run without a bound on them. */
  readonly asked: number;
  readonly rehearsal: Simulation;
}

async function countRequests(rehearsed: SimulationInput): Promise<RequestCount> {
  const rehearsal = await simulateRun(rehearsed);
  return { asked: rehearsal.requests, rehearsal };
}

/** Beyond what is rehearsed, every further page costs what the ones before it did. */
async function extrapolateRequests(rehearsed: SimulationInput, total: number): Promise<RequestCount> {
  const cut = (share: number): Promise<Simulation> =>
    simulateRun({ ...rehearsed, records: rehearsed.records.map((count) => Math.round(count * share)) });
  const most = MAX_SIMULATED_RECORDS / total;
  const [shorter, longer] = [await cut(most / 2), await cut(most)];
  const perShare = (longer.requests - shorter.requests) / (most / 2);
  return { asked: Math.round(longer.requests + perShare * (1 - most)), rehearsal: longer };
}

/** The rate that is kept, or the answers that are waited for: whichever takes longer. */
function workSeconds(requests: number, { target, latencyMs }: CostInput): number {
  const { requestsPerSecond, concurrency } = target.limits;
  return Math.max(requests / requestsPerSecond, (requests * latencyMs) / 1000 / concurrency);
}
