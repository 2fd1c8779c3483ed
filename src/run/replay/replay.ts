import { suite as conformance } from '../../../specs/suite.ts';
import { packageDigest } from '../../core/package-file.ts';
import { isCustomCheck } from '../../core/requirement-id.ts';
import type { Results, TargetResult } from '../../core/results.ts';
import { outcomeOf } from '../../core/verdict.ts';
import { EvidenceError } from '../../evidence/line.ts';
import { Redactor } from '../../evidence/redaction/redactor.ts';
import type { Check } from '../../judge/check.ts';
import { conform } from '../conform.ts';
import { type CheckedList, readSetting } from '../evidence-setting.ts';
import { type Difference, differencesOf, runDifferences } from './differences.ts';
import { RecordedRun } from './recorded-run.ts';
import { type Missing, ReplayClient } from './replay-client.ts';

export interface Replay {
  /** The new results of the targets, in the order of the run. */
  readonly targets: readonly TargetResult[];
  /** Differences; empty if every verdict, violation and observation is the same. */
  readonly differences: readonly Difference[];
  readonly missing: readonly Missing[];
  /** Whether this build of Assay judged the run; null if the evidence does not say. */
  readonly isSameBuild: boolean | null;
  /** Number of verdicts of custom checks. A replay does not run these, so that evidence cannot execute foreign code. */
  readonly leftOut: number;
  /** SHA-256 of each module of custom checks of the run, by its path. */
  readonly ownChecks: { readonly [file: string]: string };
}

/**
 * Repeats a run from its evidence, offline, with the seed, suite and options of the run.
 *
 * @param only name of the only target to replay; null for all
 * @throws EvidenceError if the evidence cannot be read or lacks the settings of the run
 */
export async function replay(
  results: Results,
  evidenceFile: string,
  { only = null, checks }: { readonly only?: string | null; readonly checks?: readonly Check[] } = {},
): Promise<Replay> {
  const run = await RecordedRun.open(evidenceFile);
  const client = new ReplayClient(run, results.run);
  const chosen = results.targets.filter(({ name }) => only === null || name === only);
  const settings = chosen.map((then) => {
    const setting = run.settings.get(then.name);
    if (setting === undefined) throw new EvidenceError(`${evidenceFile} lacks the settings of ${then.name}`);
    const { build = null, ownChecks: own = {} } = setting;
    return { ...readSetting(setting, client.restorerOf(then.name)), build, own, then };
  });
  const ownChecks = Object.assign({}, ...settings.map(({ own }) => own)) as Replay['ownChecks'];
  const runLevel = [...runDifferences(results, run), ...run.faults];
  const leftOut = chosen.flatMap(({ requirements }) => requirements.filter(isCustomCheck)).length;
  const [first] = settings;
  if (first === undefined)
    return { targets: [], differences: runLevel, missing: [], isSameBuild: null, leftOut, ownChecks };
  const suite = checks ?? conformance;
  // Targets of Playwright Test were judged one after the other, each with its own token labels.
  const groups = first.options.inTurn == null ? [settings] : settings.map((one) => [one]);
  const { connect, clock, interruption } = client;
  const judgeAgain = async (): Promise<readonly TargetResult[]> => {
    const targets: TargetResult[] = [];
    for (const group of groups) {
      const { options, then } = group[0] as (typeof settings)[number];
      if (options.inTurn != null) client.redactor = new Redactor(options.tokensBefore);
      const judged = await conform(
        group.map(({ target }) => target),
        {
          ...options,
          command: '',
          runId: results.run.id,
          signal: interruption,
          checks: suite,
          replay: { connect, clock, redactor: client.redactor, wasInterrupted: interruptedIn(then) },
        },
      );
      targets.push(...judged.targets);
    }
    return targets;
  };
  const replayed = await client.drive(judgeAgain());
  const unrequested = results.run.complete ? run.unrequested(new Set(chosen.map(({ name }) => name))) : [];
  const judged = chosen.flatMap((before, index) => {
    const now = replayed[index] ?? null;
    return differencesOf(now === null ? before : withoutCustomChecks(before, now), now);
  });
  const differences = [...runLevel, ...judged, ...unrequested];
  const builds = checks === undefined ? settings.map(({ build }) => build) : [null];
  const isSameBuild = builds.includes(null) ? null : builds.every((build) => build === packageDigest());
  return { targets: replayed, differences, missing: client.missing, isSameBuild, leftOut, ownChecks };
}

/** Whether a run was stopped before it judged a check. */
function interruptedIn({ requirements }: TargetResult): (check: CheckedList) => boolean {
  return ({ id, resource }) => {
    const recorded = requirements.find((one) => one.id === id && one.resource === resource);
    return recorded?.cause?.kind === 'interrupted';
  };
}

/** A result without custom checks. Uses the traffic of the replay, because the traffic of custom checks cannot be separated. */
function withoutCustomChecks(then: TargetResult, now: TargetResult): TargetResult {
  if (!then.requirements.some(isCustomCheck)) return then;
  const requirements = then.requirements.filter((one) => !isCustomCheck(one));
  const outcome = outcomeOf(requirements);
  return { ...then, requirements, outcome, traffic: now.traffic };
}
