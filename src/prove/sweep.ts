import type { SweepRow } from '../core/prove-results.ts';
import { SWEEP_KINDS, type SweepKind, sweepDefect } from '../mock/index.ts';
import { randomGenerator } from './combinations.ts';
import type { RunTrials, Trial, TrialResult } from './trial.ts';

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
  const groups = settings.flatMap((setting) =>
    groupSizeDefects(plantedWith(setting), seed).map((defects) => ({ setting, defects })),
  );
  const together = await runAll(groups);
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

/** Whether all of these requirements passed, so that no breach was found. */
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

/** A defect that shows at one page size only. */
interface SizeDefect {
  readonly kind: SweepKind;
  readonly size: number;
  readonly id: string;
  readonly requirement: string;
}

/** All of them: each kind at each page size from 1 to 500. */
export const SIZE_DEFECTS: readonly SizeDefect[] = SWEEP_KINDS.flatMap((kind) =>
  Array.from({ length: 500 }, (_none, index) => index + 1)
    // A page of one record cannot have one record less.
    .filter((size) => kind !== 'filled' || size > 1)
    .map((size) => {
      const { id, must } = sweepDefect(kind, size);
      return { kind, size, id, requirement: must[0] ?? '' };
    }),
);

function requirementOf(kind: SweepKind): string {
  return sweepDefect(kind, 500).must[0] ?? '';
}

/**
 * Distributes defects to as few providers as possible, without two of the same kind or size in one provider, so
 * that the check of one defect does not see the others.
 */
export function groupSizeDefects(
  defects: readonly SizeDefect[],
  seed: number,
): readonly (readonly SizeDefect[])[] {
  const random = randomGenerator(seed);
  const shuffled = defects
    .map((defect) => ({ defect, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ defect }) => defect);
  const groups: SizeDefect[][] = [];
  for (const defect of shuffled) {
    const group = groups.find((one) =>
      one.every(({ kind, size }) => kind !== defect.kind && size !== defect.size),
    );
    if (group === undefined) groups.push([defect]);
    else group.push(defect);
  }
  return groups;
}

/** Whether the requirement of the defect failed at its page size; not in a trial that has no result. */
export function isFound(defect: SizeDefect, result: TrialResult | null): boolean {
  const { requirement, size } = defect;
  const failures = result?.verdicts.filter(
    (one) => one.requirement === requirement && one.verdict === 'fail',
  );
  // 500 is also the default page size, so the violation may not contain it.
  return failures?.some(({ pageSizes }) => size === 500 || pageSizes.includes(size)) === true;
}

/** Failures and errors that no defect of the provider explains, as kind and size. */
function unexpectedFailures(
  group: readonly SizeDefect[],
  result: TrialResult,
): readonly Pick<SizeDefect, 'kind' | 'size'>[] {
  const wrong = result.verdicts.flatMap(({ requirement, verdict, pageSizes }) => {
    if (verdict !== 'fail' && verdict !== 'error') return [];
    const own = group.filter((one) => one.requirement === requirement);
    if (verdict === 'fail' && own.some((defect) => isFound(defect, result))) return [];
    const kind = SWEEP_KINDS.find((one) => requirementOf(one) === requirement);
    // Other requirements may fail as a consequence.
    if (kind === undefined) return [];
    return [{ kind, size: pageSizes[0] ?? group[0]?.size ?? 1 }];
  });
  if (result.broken === null) return wrong;
  return [...wrong, { kind: group[0]?.kind ?? 'limit', size: group[0]?.size ?? 1 }];
}
