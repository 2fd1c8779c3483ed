import type { ReportedVerdict } from '../core/prove-results.ts';
import type { RequirementResult, ViolationRecord } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import type { Check } from '../judge/check.ts';
import { type MockOptions, startMock } from '../mock/index.ts';
import { conform } from '../run/conform.ts';
import type { RecordedOptions } from '../run/evidence-setting.ts';
import { makeTarget } from '../target/make.ts';

/** One run against one mock provider: their options. Can be sent to another thread. */
export interface Trial extends Omit<RecordedOptions, 'skip'> {
  readonly mock: MockOptions;
  /** Whether to make observations; false if left out. */
  readonly observes?: boolean;
}

/** A verdict, with the first violation's message, or the reason, as its sentence. */
export interface TrialVerdict extends ReportedVerdict {
  /** Page sizes in the counterexamples of its violations. */
  readonly pageSizes: readonly number[];
}

export interface TrialResult {
  readonly verdicts: readonly TrialVerdict[];
  readonly requests: number;
  readonly durationMs: number;
  /** Why the verdicts are not usable: the provider did not start, or the run did not end. Null if they are. */
  readonly broken: string | null;
  /** Whether an abort ended the run; false if left out. */
  readonly isStopped?: boolean;
}

/** The trial to run in place of one that gave a result, after so many repetitions of it; null if the result counts. */
export type RepeatTrial = (index: number, result: TrialResult, repetitions: number) => Trial | null;

/** Carries out trials; null where an interruption kept one from starting. */
export type RunTrials = (
  trials: readonly Trial[],
  repeat?: RepeatTrial,
) => Promise<readonly (TrialResult | null)[]>;

/** Milliseconds after which a trial is stopped: longer than all waits of one that shares its thread with many others. */
export const MAX_TRIAL_MS = 600_000;

/** Starts the provider, runs the suite against it in process until it ends or the signal is aborted, and stops it. Never throws. */
export async function runTrial(
  { mock: mockOptions, observes = false, ...options }: Trial,
  checks: readonly Check[] | null,
  signal: AbortSignal | null = null,
): Promise<TrialResult> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  try {
    const mock = await startMock(mockOptions);
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
        expiry: { clockRate: mockOptions.clockRate ?? 1 },
      });
      const timeout = AbortSignal.timeout(MAX_TRIAL_MS);
      const results = await conform([target], {
        ...options,
        observes,
        skip: [],
        command: 'assay prove',
        runId: 'prove',
        signal: signal === null ? timeout : AbortSignal.any([timeout, signal]),
        // No proxy for loopback.
        environment: {},
        ...(checks === null ? {} : { checks }),
      });
      const judged = results.targets[0];
      return {
        verdicts: (judged?.requirements ?? []).map(verdictOf),
        requests: judged?.traffic.requests ?? 0,
        durationMs: elapsed(),
        broken: timeout.aborted ? `the run did not end within ${MAX_TRIAL_MS / 1000} seconds` : null,
        isStopped: signal?.aborted === true,
      };
    } finally {
      await mock.close();
    }
  } catch (error) {
    const words = messageOf(error);
    const isStopped = signal?.aborted === true;
    return { verdicts: [], requests: 0, durationMs: elapsed(), broken: words, isStopped };
  }
}

function verdictOf({ id, resource, verdict, reason, cause, violations }: RequirementResult): TrialVerdict {
  return {
    requirement: id,
    resource,
    verdict,
    cause,
    sentence: violations[0]?.message ?? reason ?? 'no violation found',
    pageSizes: violations.flatMap(({ counterexample }) => pageSizesIn(counterexample)),
  };
}

/** The page sizes of a counterexample: its own, that of its request, those of the requests of its steps. */
function pageSizesIn(counterexample: ViolationRecord['counterexample']): readonly number[] {
  const { pageSize, request, steps } = counterexample ?? {};
  if (typeof pageSize === 'number') return [pageSize];
  return [request, ...(Array.isArray(steps) ? steps : [])].flatMap((text) => {
    const size = typeof text === 'string' ? /[?&](?:\$|%24)pagesize=(\d+)/iu.exec(text)?.[1] : undefined;
    return size === undefined ? [] : [Number(size)];
  });
}
