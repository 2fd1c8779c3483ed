import type { SweepRow } from '../core/prove-results.ts';
import { SWEEP_KINDS, type SweepKind } from '../mock/index.ts';
import {
  groupSizeDefects,
  isFound,
  requirementOf,
  SIZE_DEFECTS,
  type SizeDefect,
  unexpectedFailures,
} from './single-size-defects.ts';
import type { RunTrials, Trial, TrialResult } from './trial.ts';

/** Records of the list. */
const RECORDS = 1234;

/** The page sizes that are tested with `certify`, whose runs are too long to test all. */
const CERTIFY_SIZES = [1, 2, 37, 94, 128, 181, 233, 299, 347, 411, 461, 499, 500];

/** The options of a run that decide which page sizes it requests. */
interface Setting {
  readonly suite: 'full' | 'certify';
  /** `--runs`; null for the default of the suite. */
  readonly runs: number | null;
  readonly seed: number;
}

/** A provider with defects, the setting of its run, and its result; null if an interruption prevented it. */
interface SweepTrial {
  readonly setting: Setting;
  readonly defects: readonly SizeDefect[];
  readonly result: TrialResult | null;
}

/**
 * Finds out at how many page sizes the suite finds a defect of that size alone: `full` by default and with each number
 * of runs at all sizes, `certify` at a sample of sizes.
 */
export async function runSweep(
  runs: readonly number[],
  { seed }: { readonly seed: number },
  runTrials: RunTrials,
): Promise<readonly SweepRow[]> {
  const numbers = [null, ...new Set(runs.toSorted((one, other) => one - other))];
  const settings: readonly Setting[] = [
    ...numbers.map((number): Setting => ({ suite: 'full', runs: number, seed })),
    { suite: 'certify', runs: null, seed },
  ];
  const runAll = async (trials: readonly Omit<SweepTrial, 'result'>[]): Promise<readonly SweepTrial[]> => {
    const results = await runTrials(trials.map(trialOf));
    return trials.map((trial, index) => ({ ...trial, result: results[index] ?? null }));
  };
  const together = await runAll(
    settings.flatMap((setting) =>
      groupSizeDefects(plantedWith(setting), seed).map((defects) => ({ setting, defects })),
    ),
  );
  // One defect can block the check of another one, which is then tested alone.
  const alone = await runAll(
    together
      .filter(({ defects, result }) => defects.length > 1 && result !== null && !isClean(result))
      .flatMap(({ setting, defects, result }) =>
        defects
          .filter((defect) => !isFound(defect, result))
          .map((defect) => ({ setting, defects: [defect] })),
      ),
  );
  const all = [...together, ...alone];
  return settings.flatMap((setting) => {
    const own = all.filter((trial) => trial.setting === setting);
    return SWEEP_KINDS.map((kind) => rowOf(kind, setting, own));
  });
}

function plantedWith({ suite }: Setting): readonly SizeDefect[] {
  return suite === 'full' ? SIZE_DEFECTS : SIZE_DEFECTS.filter(({ size }) => CERTIFY_SIZES.includes(size));
}

function trialOf({ setting: { suite, runs, seed }, defects }: Omit<SweepTrial, 'result'>): Trial {
  return {
    mock: { records: RECORDS, defects: defects.map(({ id }) => id) },
    suite,
    // All checks of a full run request pages, which every rule judges; those of certify would take too long.
    only: suite === 'full' ? [] : SWEEP_KINDS.map(requirementOf),
    seed,
    runs,
    expiry: false,
  };
}

/** Whether all of these requirements passed, so that no breach was met. */
function isClean({ verdicts }: TrialResult): boolean {
  const requirements = SWEEP_KINDS.map(requirementOf);
  return verdicts.every(
    ({ requirement, verdict }) => !requirements.includes(requirement) || verdict === 'pass',
  );
}

function rowOf(kind: SweepKind, setting: Setting, trials: readonly SweepTrial[]): SweepRow {
  const planted = plantedWith(setting).filter((defect) => defect.kind === kind);
  const found = new Set(
    trials.flatMap(({ defects, result }) => defects.filter((defect) => isFound(defect, result))),
  );
  const wrong = trials
    .flatMap(({ defects, result }) => (result === null ? [] : unexpectedFailures(defects, result)))
    .filter((failure) => failure.kind === kind);
  return {
    kind,
    requirement: requirementOf(kind),
    suite: setting.suite,
    runs: setting.runs,
    planted: planted.length,
    found: planted.filter((defect) => found.has(defect)).length,
    missed: planted.filter((defect) => !found.has(defect)).map(({ size }) => size),
    falselyFailed: [...new Set(wrong.map(({ size }) => size))].toSorted((one, other) => one - other),
    requests: Math.max(0, ...trials.map(({ result }) => result?.requests ?? 0)),
  };
}
