import { availableParallelism } from 'node:os';
import type { RunTrials } from '../../src/prove/trial.ts';
import { runTrials } from '../../src/prove/trial-pool.ts';

/** Runs trials in one thread per processor. */
export const runInAllThreads: RunTrials = (trials) =>
  runTrials(trials, {
    jobs: availableParallelism(),
    checks: null,
    signal: null,
    onEnd: () => undefined,
  });
