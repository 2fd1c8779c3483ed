import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ownModule } from '../core/package-file.ts';
import type { Check } from '../judge/check.ts';
import { MAX_TRIAL_MS, type RepeatTrial, runTrial, type Trial, type TrialResult } from './trial.ts';

interface PoolOptions {
  /** Number of threads; with 1, or with `checks`, everything runs in the current thread. */
  readonly jobs: number;
  /** Checks to run instead of the suite; null for the suite. */
  readonly checks: readonly Check[] | null;
  /** Asked after each trial, which is repeated at once: at the end of the proof it would run alone. Null to repeat none. */
  readonly repeat: RepeatTrial | null;
  /** Called after each trial and its repetitions. */
  readonly onEnd: () => void;
  /** After an abort no further trial starts, and those that run stop. */
  readonly signal: AbortSignal | null;
}

/**
 * Trials at a time per thread, more only while it is idle: otherwise providers would be slow to answer, on which some defects
 * depend.
 */
const TRIALS_PER_THREAD = 5;
const MAX_TRIALS_PER_THREAD = 15;
/** Milliseconds after which it is looked whether a thread is idle: in a smaller part of them, it was busy. */
const IDLE_LOOK_MS = 250;
const BUSY_SHARE = 0.85;

/** What a trial allocates is garbage soon: with more room for it, the garbage collector runs less often. */
const THREAD_OPTIONS = { resourceLimits: { maxYoungGenerationSizeMb: 128 } };

/** Milliseconds after which a thread that gives no result is ended: a thread that is blocked cannot stop its trial itself. */
const MAX_SILENCE_MS = MAX_TRIAL_MS + 60_000;

const NOTHING = { verdicts: [], requests: 0, durationMs: 0 };

/** Part of the golden ratio: its multiples are spread evenly between whole numbers. */
const SPREAD = (Math.sqrt(5) - 1) / 2;

/** Indices in an order that separates neighbours: similar defects wait at the same time, and nothing else would run meanwhile. */
function inMixedOrder(length: number): readonly number[] {
  const place = (index: number): number => (index * SPREAD) % 1;
  return Array.from({ length }, (_none, index) => index).sort((one, other) => place(one) - place(other));
}

/** Runs trials. Returns the results in the same order; null for trials that an abort prevented. */
export async function runTrials(
  trials: readonly Trial[],
  options: PoolOptions,
): Promise<readonly (TrialResult | null)[]> {
  const results: (TrialResult | null)[] = trials.map(() => null);
  const runners =
    options.jobs > 1 && options.checks === null
      ? Array.from({ length: options.jobs }, () => threadRunner(options.signal))
      : [localRunner(options.checks, options.signal)];
  const indices = inMixedOrder(trials.length);
  const busy = indices.filter((index) => trials[index]?.expiry === false);
  // Trials that wait for a token to expire all start at once.
  const waiting = indices.filter((index) => trials[index]?.expiry === true);
  const runOne = async (runner: TrialRunner, index: number): Promise<void> => {
    let trial = trials[index] ?? null;
    for (let repetitions = 0; trial !== null && options.signal?.aborted !== true; repetitions++) {
      const result = await runner.run(trial);
      results[index] = result.isStopped === true ? null : result;
      trial = options.repeat?.(index, result, repetitions) ?? null;
    }
    options.onEnd();
  };
  const lane = async (runner: TrialRunner, queue: number[]): Promise<void> => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      if (options.signal?.aborted === true) return;
      await runOne(runner, index);
    }
  };
  const furtherTrials = async (runner: TrialRunner): Promise<void> => {
    const further = new Set<Promise<void>>();
    while (busy.length > 0 && options.signal?.aborted !== true) {
      await setTimeout(IDLE_LOOK_MS);
      const index =
        runner.busyShare() < BUSY_SHARE && further.size < MAX_TRIALS_PER_THREAD - TRIALS_PER_THREAD
          ? busy.shift()
          : undefined;
      if (index === undefined) continue;
      const trial = runOne(runner, index).finally(() => further.delete(trial));
      further.add(trial);
    }
    await Promise.all(further);
  };
  try {
    await Promise.all(
      runners.flatMap((runner) => [
        ...Array.from({ length: TRIALS_PER_THREAD }, () => lane(runner, busy)),
        ...Array.from({ length: Math.ceil(waiting.length / runners.length) }, () => lane(runner, waiting)),
        furtherTrials(runner),
      ]),
    );
  } finally {
    await Promise.all(runners.map((runner) => runner.end()));
  }
  return results;
}

interface TrialRunner {
  run(trial: Trial): Promise<TrialResult>;
  /** The share of the time since the last call in which its thread was busy, 0 to 1. */
  busyShare(): number;
  end(): Promise<unknown>;
}

function localRunner(checks: readonly Check[] | null, signal: AbortSignal | null): TrialRunner {
  return {
    run: (trial) => runTrial(trial, checks, signal),
    busyShare: busyShareOf(performance),
    end: () => Promise.resolve(),
  };
}

function busyShareOf(thread: Pick<typeof performance, 'eventLoopUtilization'>): () => number {
  let last = thread.eventLoopUtilization();
  return () => {
    const now = thread.eventLoopUtilization();
    const { utilization } = thread.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

function threadRunner(signal: AbortSignal | null): TrialRunner {
  const worker = new Worker(ownModule('src/prove/worker'), THREAD_OPTIONS);
  const open = new Map<number, (result: TrialResult) => void>();
  let next = 0;
  let lost: string | null = null;
  const broken = (why: string): TrialResult => ({ ...NOTHING, broken: why });
  const lose = (why: string): void => {
    lost = why;
    for (const resolve of open.values()) resolve(broken(why));
    open.clear();
  };
  worker.on('message', ({ number, result }: { readonly number: number; readonly result: TrialResult }) => {
    open.get(number)?.(result);
    open.delete(number);
  });
  worker.on('error', (error) => lose(`the thread failed: ${error.message}`));
  worker.on('exit', () => lose(lost ?? 'the thread ended'));
  const stop = (): void => worker.postMessage('stop');
  signal?.addEventListener('abort', stop, { once: true });
  return {
    run: (trial) =>
      new Promise((resolve) => {
        if (lost !== null) {
          resolve(broken(lost));
          return;
        }
        const number = next++;
        const watchdog = globalThis.setTimeout(() => {
          lose(`a trial gave no result within ${MAX_SILENCE_MS / 1000} seconds`);
          void worker.terminate();
        }, MAX_SILENCE_MS);
        open.set(number, (result) => {
          clearTimeout(watchdog);
          resolve(result);
        });
        worker.postMessage({ number, trial });
      }),
    busyShare: busyShareOf(worker.performance),
    end: () => {
      signal?.removeEventListener('abort', stop);
      return worker.terminate();
    },
  };
}
