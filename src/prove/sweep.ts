import { groupBy } from '../core/group-by.ts';
import type { SweepRow } from '../core/prove-results.ts';
import { likelySizes } from '../judge/page-sizes.ts';
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

/** `--runs` of the runs that search for defects: enough to request every likely size and many others. */
const SEARCH_RUNS = 100;

/** Number of seeds of short runs, so that together they request nearly all sizes. */
const SEARCH_SEEDS = 24;

/** Sizes that are tested for settings that are too long to test all. */
const SAMPLE_SIZES = [1, 2, 37, 94, 128, 181, 233, 299, 347, 411, 461, 499, 500];

/** The options of a run that decide which page sizes it requests. */
interface Setting {
  readonly suite: 'full' | 'certify';
  /** `--runs`; null for the default of the suite. */
  readonly runs: number | null;
  readonly seed: number;
}

/** A setting with the page sizes that it requests from a conforming provider. */
interface TestedSetting {
  readonly setting: Setting;
  readonly sizes: ReadonlySet<number>;
  readonly requests: number;
}

/** A provider with defects, and the setting of its run. */
interface SweepTrial {
  readonly setting: Setting;
  readonly defects: readonly SizeDefect[];
}

/**
 * Finds out at how many page sizes the suite finds a defect of that size alone: `full` by default, `full` with each
 * number of runs, and `certify`.
 *
 * The suite finds such a defect if it requests the size and its check detects it. A run against a conforming
 * provider records the requested sizes. Every kind at every size is then tested with the shortest run that requests
 * the size, and longer runs at a sample of sizes. A provider with defects at all sizes that a run does not request
 * must pass.
 */
export async function runSweep(
  runs: readonly number[],
  { seed }: { readonly seed: number },
  runTrials: RunTrials,
): Promise<readonly SweepRow[]> {
  const asked: readonly Setting[] = [
    ...[null, ...new Set(runs.toSorted((one, other) => one - other))].map((number) =>
      fullSetting(number, seed),
    ),
    { suite: 'certify', runs: null, seed },
  ];
  const finding = Array.from({ length: SEARCH_SEEDS }, (_none, index) =>
    fullSetting(SEARCH_RUNS, (seed + index + 1) % 2 ** 32),
  );
  const tried = await findTestedSizes([...asked, ...finding], runTrials);
  const settings = tried.slice(0, asked.length);
  const trials = [...assignDefects(tried), ...settings.flatMap(sampleTrials)];
  const results = await runSweepTrials([...trials, ...settings.flatMap(untestedTrials)], runTrials);
  // One defect can block the check of another one, which is then tested alone.
  const retried = trials.flatMap(({ setting, defects }, index) =>
    defects
      .filter((defect) => defects.length > 1 && results[index]?.found.includes(defect) !== true)
      .map((defect) => ({ setting, defects: [defect] })),
  );
  results.push(...(await runSweepTrials(retried, runTrials)));
  return settings.flatMap((one) => SWEEP_KINDS.map((kind) => rowOf(kind, one, results)));
}

function fullSetting(runs: number | null, seed: number): Setting {
  return { suite: 'full', runs, seed };
}

async function findTestedSizes(
  settings: readonly Setting[],
  runTrials: RunTrials,
): Promise<readonly TestedSetting[]> {
  const results = await runTrials(settings.map((setting) => ({ ...trialOf(setting, []), noteSizes: true })));
  return settings.map((setting, index) => ({
    setting,
    sizes: new Set(results[index]?.sizes ?? []),
    requests: results[index]?.requests ?? 0,
  }));
}

/** Assigns every defect to the shortest run that requests its size. */
function assignDefects(tried: readonly TestedSetting[]): readonly SweepTrial[] {
  const shortestFirst = tried.toSorted((one, other) => one.requests - other.requests);
  const groups = groupBy(SIZE_DEFECTS, ({ size }) => shortestFirst.find(({ sizes }) => sizes.has(size)));
  return [...groups].flatMap(([shortest, own]) =>
    shortest === undefined ? [] : trialsFor(shortest.setting, own),
  );
}

/** A sample of defects for settings with more requests than the search runs. */
function sampleTrials({ setting, sizes }: TestedSetting): readonly SweepTrial[] {
  if (setting.suite === 'full' && (setting.runs ?? 0) <= SEARCH_RUNS) return [];
  const own = SIZE_DEFECTS.filter(({ size }) => SAMPLE_SIZES.includes(size) && sizes.has(size));
  return trialsFor(setting, own);
}

/** Providers with defects at every size that the setting does not request. */
function untestedTrials({ setting, sizes }: TestedSetting): readonly SweepTrial[] {
  return SWEEP_KINDS.map((kind) => ({
    setting,
    defects: SIZE_DEFECTS.filter((defect) => defect.kind === kind && !sizes.has(defect.size)),
  })).filter(({ defects }) => defects.length > 0);
}

function trialsFor(setting: Setting, defects: readonly SizeDefect[]): readonly SweepTrial[] {
  return groupSizeDefects(defects, setting.seed).map((group) => ({ setting, defects: group }));
}

function trialOf({ suite, runs, seed }: Setting, defects: readonly SizeDefect[]): Trial {
  return {
    mock: { records: RECORDS, defects: defects.map(({ id }) => id) },
    suite,
    only: SWEEP_KINDS.map(requirementOf),
    seed,
    runs,
    expiry: false,
  };
}

interface SweepResult {
  readonly setting: Setting;
  readonly found: readonly SizeDefect[];
  readonly wrong: readonly Pick<SizeDefect, 'kind' | 'size'>[];
}

async function runSweepTrials(trials: readonly SweepTrial[], runTrials: RunTrials): Promise<SweepResult[]> {
  const results = await runTrials(trials.map(({ setting, defects }) => trialOf(setting, defects)));
  return trials.map((trial, index) => sweepResult(trial, results[index] ?? null));
}

function sweepResult({ setting, defects }: SweepTrial, result: TrialResult | null): SweepResult {
  if (result === null) return { setting, found: [], wrong: [] };
  return {
    setting,
    found: defects.filter((defect) => isFound(defect, result)),
    wrong: unexpectedFailures(defects, result),
  };
}

function rowOf(
  kind: SweepKind,
  { setting, sizes, requests }: TestedSetting,
  results: readonly SweepResult[],
): SweepRow {
  const own = results.filter((one) => one.setting === setting);
  // False failures of the search runs are reported with certify.
  const answeredFor =
    setting.suite === 'certify' ? results.filter(({ setting: { seed } }) => seed !== setting.seed) : [];
  const found = sizesOf(kind, results, 'found');
  const direct = sizesOf(kind, own, 'found');
  const planted = SIZE_DEFECTS.filter((defect) => defect.kind === kind).map(({ size }) => size);
  const likely = new Set(likelySizes(RECORDS));
  // A defect found by this setting counts even if its size was not recorded.
  const isOwn = (size: number): boolean => (found.has(size) && sizes.has(size)) || direct.has(size);
  return {
    kind,
    requirement: requirementOf(kind),
    suite: setting.suite,
    runs: setting.runs,
    planted: planted.length,
    tried: planted.filter((size) => sizes.has(size)).length,
    found: planted.filter(isOwn).length,
    direct: direct.size,
    likely: planted.filter((size) => likely.has(size)).length,
    likelyFound: planted.filter((size) => likely.has(size) && isOwn(size)).length,
    missed: planted.filter((size) => !isOwn(size)),
    falselyFailed: [...sizesOf(kind, [...own, ...answeredFor], 'wrong')],
    requests,
  };
}

/** The page sizes of the found or wrong defects of one kind, in ascending order. */
function sizesOf(
  kind: SweepKind,
  results: readonly SweepResult[],
  of: 'found' | 'wrong',
): ReadonlySet<number> {
  return new Set(
    results
      .flatMap((one): SweepResult['wrong'] => one[of])
      .filter((defect) => defect.kind === kind)
      .map(({ size }) => size)
      .toSorted((one, other) => one - other),
  );
}
