import type { Cause } from '../core/cause.ts';
import type { RequirementResult, Suite, ViolationRecord } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Check } from '../judge/check.ts';
import { type MockOptions, startMock } from '../mock/index.ts';
import { conform } from '../run/conform.ts';
import { makeTarget } from '../target/make.ts';

/** One run against one mock provider: their options. Can be sent to another thread. */
export interface Trial {
  readonly mock: MockOptions;
  readonly suite: Suite;
  readonly only: readonly string[];
  readonly seed: number;
  /** Cases per property; null for the default of the suite. */
  readonly runs: number | null;
  readonly expiry: boolean;
  /** Whether to record the requested page sizes; false by default. */
  readonly noteSizes?: boolean;
}

/** The verdict on one requirement. */
export interface TrialVerdict {
  readonly requirement: string;
  readonly resource: string | null;
  readonly verdict: Verdict;
  /** The first violation's message, or the reason; null for `pass`. */
  readonly sentence: string | null;
  readonly cause: Cause | null;
  /** Page sizes in the counterexamples of its violations. */
  readonly pageSizes: readonly number[];
}

export interface TrialResult {
  readonly verdicts: readonly TrialVerdict[];
  readonly requests: number;
  readonly durationMs: number;
  /** Requested page sizes from 1 to 500 of first pages with `$count=true`, ascending; only if recorded. */
  readonly sizes?: readonly number[];
  /** Why the verdicts are not usable: the provider did not start, or the run did not end. Null if they are. */
  readonly broken: string | null;
}

/** Carries out trials; null where an interruption kept one from starting. */
export type RunTrials = (trials: readonly Trial[]) => Promise<readonly (TrialResult | null)[]>;

/** Milliseconds after which a trial is stopped: many times the duration of the slowest. */
export const MAX_TRIAL_MS = 120_000;

/** Starts the provider, runs the suite against it in process, and stops it. Never throws. */
export async function runTrial(trial: Trial, checks: readonly Check[] | null): Promise<TrialResult> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  try {
    const sizes = new Set<number>();
    const onLine = ({ target }: { readonly target: string }): void => {
      const size = firstPageSize(target);
      if (size !== null) sizes.add(size);
    };
    const mock = await startMock(
      trial.noteSizes === true ? { ...trial.mock, control: { onLine } } : trial.mock,
    );
    try {
      const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
      const target = makeTarget({
        name: 'prove',
        authUrl,
        baseUrl,
        tenant,
        credentials,
        otherCredentials,
        // Loopback needs no protection.
        limits: { requestsPerSecond: 1_000_000, concurrency: 8, maxRequests: 100_000 },
        expiry: { clockRate: trial.mock.clockRate ?? 1 },
      });
      const timeout = AbortSignal.timeout(MAX_TRIAL_MS);
      const results = await conform([target], {
        suite: trial.suite,
        only: trial.only,
        skip: [],
        seed: trial.seed,
        runs: trial.runs,
        expiry: trial.expiry,
        // Observations are not part of the proof.
        inquire: false,
        command: 'assay prove',
        runId: 'prove',
        evidenceFile: null,
        listener: () => undefined,
        signal: timeout,
        // No proxy for loopback.
        environment: {},
        ...(checks === null ? {} : { checks }),
      });
      const judged = results.targets[0];
      return {
        verdicts: (judged?.requirements ?? []).map(verdictOf),
        requests: judged?.traffic.requests ?? 0,
        durationMs: elapsed(),
        ...(trial.noteSizes === true ? { sizes: [...sizes].toSorted((one, other) => one - other) } : {}),
        broken: timeout.aborted ? `the run did not end within ${MAX_TRIAL_MS / 1000} seconds` : null,
      };
    } finally {
      await mock.close();
    }
  } catch (error) {
    const words = messageOf(error);
    return { verdicts: [], requests: 0, durationMs: elapsed(), broken: words };
  }
}

/** The page size in a request for a first page with $count=true; null for other requests. */
function firstPageSize(target: string): number | null {
  const parameters = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  const size = Number(parameters.get('$pagesize') ?? 0);
  if (parameters.get('$count') !== 'true' || parameters.has('$skip')) return null;
  return Number.isInteger(size) && size >= 1 && size <= 500 ? size : null;
}

function verdictOf({ id, resource, verdict, reason, cause, violations }: RequirementResult): TrialVerdict {
  return {
    requirement: id,
    resource,
    verdict,
    sentence: violations[0]?.message ?? reason,
    cause,
    pageSizes: violations.flatMap(({ counterexample }) => pageSizeIn(counterexample) ?? []),
  };
}

/** The page size of a counterexample or of its request; null if it has none. */
function pageSizeIn(counterexample: ViolationRecord['counterexample']): number | null {
  if (counterexample === null) return null;
  const { pageSize, request } = counterexample;
  if (typeof pageSize === 'number') return pageSize;
  if (typeof request !== 'string') return null;
  const size = Number(
    new URLSearchParams(request.slice(request.indexOf('?') + 1)).get('$pagesize') ?? 'none',
  );
  return Number.isInteger(size) ? size : null;
}
