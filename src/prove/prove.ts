import { thisTool } from '../core/package-file.ts';
import type { ProveResults } from '../core/prove-results.ts';
import type { Check } from '../judge/check.ts';
import type { Defect } from '../mock/index.ts';
import { drawCombinations, rowOfCombination } from './combinations.ts';
import { isProven, rowOfDefect, rowOfVariant, totalsOf } from './matrix.ts';
import { runSweep } from './sweep.ts';
import type { RunTrials, Trial, TrialResult } from './trial.ts';
import { runTrials } from './trial-pool.ts';
import { defectTrial, selectTrials, variantTrials } from './trial-selection.ts';

/** Factors by which the provider's clock is slower in the first and second repetition of a trial. */
const SLOWDOWN_FACTORS: readonly number[] = [3, 9];

interface DefectTrial {
  /** Empty for a conforming variant. */
  readonly members: readonly Defect[];
  readonly trial: Trial;
}

/** The kind of proof: the matrix, combinations of defects, or the sensitivity to defects of one page size. */
export type Proof =
  | { readonly kind: 'matrix' }
  | { readonly kind: 'combinations'; readonly number: number }
  | { readonly kind: 'sweep'; readonly runs: readonly number[] };

export interface ProveOptions {
  readonly proof: Proof;
  /** Globs of defects, variants and requirements; everything where empty. */
  readonly only: readonly string[];
  /** 32-bit integer. */
  readonly seed: number;
  /** Threads, from 1. */
  readonly jobs: number;
  readonly runId: string;
  readonly command: string;
  /** SHA-256 of Assay's own files; null or missing if not computed. */
  readonly package?: string | null;
  readonly onProgress: (progress: ProveProgress) => void;
  /** After an abort the proof ends with an incomplete result. */
  readonly signal: AbortSignal | null;
  /** Checks to run instead of the suite, in the current thread. */
  readonly checks?: readonly Check[];
}

interface ProveProgress {
  readonly done: number;
  /** Number of trials so far; may grow during the proof. */
  readonly of: number;
}

/** Tests the harness: runs the conformance suite against providers with known defects.
 *
 * @throws UserError for a glob without a match
 */
export async function prove(options: ProveOptions): Promise<ProveResults> {
  const startedAt = new Date();
  const rows = await rowsOf(options);
  const totals = totalsOf(rows);
  const complete = options.signal?.aborted !== true;
  return {
    format: 'assay-prove/1',
    tool: { ...thisTool(), package: options.package ?? null },
    run: {
      id: options.runId,
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      seed: options.seed,
      jobs: options.jobs,
      only: options.only,
      complete,
      command: options.command,
    },
    proven: isProven(complete, totals, rows.sweep),
    totals,
    ...rows,
  };
}

type Rows = Pick<ProveResults, 'defects' | 'variants' | 'combinations' | 'sweep'>;

const NO_ROWS: Rows = { defects: [], variants: [], combinations: [], sweep: [] };

async function rowsOf(options: ProveOptions): Promise<Rows> {
  const { proof } = options;
  switch (proof.kind) {
    case 'matrix':
      return matrixRows(options);
    case 'combinations':
      return combinationRows(options, proof.number);
    case 'sweep':
      return { ...NO_ROWS, sweep: await runSweep(proof.runs, options, trialRunner(options)) };
  }
}

async function matrixRows(options: ProveOptions): Promise<Rows> {
  const { defects, variants } = selectTrials(options.only);
  const trialsOfVariants = variants.map((variant) => variantTrials(variant, options.seed));
  const trials = [
    ...defects.map((defect) => ({ members: [defect], trial: defectTrial([defect], options.seed) })),
    ...trialsOfVariants.flat().map((trial) => ({ members: [], trial })),
  ];
  const results = await runWithSlowClockRetry(trials, trialRunner(options));
  const resultOf = new Map(trials.map(({ trial }, index) => [trial, results[index] ?? null]));
  // Trials that an interruption prevented have no row.
  return {
    ...NO_ROWS,
    defects: defects.flatMap((defect, index) => {
      const result = results[index] ?? null;
      return result === null ? [] : [rowOfDefect(defect, result)];
    }),
    variants: variants.flatMap((variant, index) => {
      const own = (trialsOfVariants[index] ?? []).map((trial) => resultOf.get(trial) ?? null);
      return own.every((result) => result !== null) ? [rowOfVariant(variant, own)] : [];
    }),
  };
}

async function combinationRows(options: ProveOptions, number: number): Promise<Rows> {
  const runAll = trialRunner(options);
  const judge = (groups: readonly (readonly Defect[])[]): ReturnType<RunTrials> =>
    runWithSlowClockRetry(
      groups.map((members) => ({ members, trial: defectTrial(members, options.seed) })),
      runAll,
    );
  const combinations = drawCombinations(selectTrials(options.only).defects, number, options.seed);
  const results = await judge(combinations);
  const first = combinations.flatMap((members, index) => {
    const result = results[index];
    return result == null ? [] : [{ members, result, row: rowOfCombination(members, result, null) }];
  });
  // If a member was not found, the opposite order shows whether another one undid it.
  const incomplete = first.filter(({ row }) => row.escaped.length > 0);
  const reversed = await judge(incomplete.map(({ members }) => members.toReversed()));
  const opposite = new Map(incomplete.map(({ members }, index) => [members, reversed[index] ?? null]));
  return {
    ...NO_ROWS,
    combinations: first.map(({ members, result, row }) => {
      const other = opposite.get(members) ?? null;
      return other === null ? row : rowOfCombination(members, result, other);
    }),
  };
}

function trialRunner(options: ProveOptions): RunTrials {
  let done = 0;
  let of = 0;
  return (trials, repeat) => {
    of += trials.length;
    return runTrials(trials, {
      repeat: repeat ?? null,
      jobs: options.jobs,
      checks: options.checks ?? null,
      signal: options.signal,
      onEnd: () => {
        done++;
        options.onProgress({ done, of });
      },
    });
  };
}

/**
 * Runs trials, and repeats those with unexpected results that depend on the expiry of a token, with a slower clock: on a busy
 * machine a token may expire before an answer arrives or during another check. Real problems occur with any clock.
 */
export function runWithSlowClockRetry(
  trials: readonly DefectTrial[],
  runTrials: RunTrials,
): ReturnType<RunTrials> {
  return runTrials(
    trials.map(({ trial }) => trial),
    (index, result, repetitions) => {
      const [one, times] = [trials[index], SLOWDOWN_FACTORS[repetitions]];
      if (one === undefined || times === undefined || !isAffectedByTiming(one, result)) return null;
      const { mock } = one.trial;
      return { ...one.trial, mock: { ...mock, clockRate: (mock.clockRate ?? 1) / times } };
    },
  );
}

function isAffectedByTiming({ members, trial }: DefectTrial, { verdicts }: TrialResult): boolean {
  if (!trial.expiry || members.length === 0) return false;
  const waited = members.filter(({ needs }) => needs.expiry === true).flatMap(({ must }) => must);
  const broken = members.flatMap(({ must, may }) => [...must, ...may]);
  return verdicts.some(({ requirement, verdict, cause }) =>
    verdict === 'fail'
      ? !broken.includes(requirement)
      : waited.includes(requirement) &&
        // With several members another one may mask it; otherwise a token expired during the run.
        !(members.length > 1 && cause?.kind === 'blocked'),
  );
}
