import { suite as conformance } from '../../../specs/suite.ts';
import { resolveCauses } from '../../core/cause-sentences.ts';
import { isCustomCheck } from '../../core/requirement-id.ts';
import type {
  JudgedResult,
  ObservationResult,
  RequirementResult,
  Results,
  TargetResult,
} from '../../core/results.ts';
import { outcomeOf } from '../../core/verdict.ts';
import { EvidenceError } from '../../evidence/line.ts';
import { Redactor } from '../../evidence/redaction/redactor.ts';
import { packageDigest } from '../../evidence/seal/package-digest.ts';
import type { Check } from '../../judge/check.ts';
import type { Target } from '../../target/target.ts';
import { conform } from '../conform.ts';
import { OBSERVATIONS, type ReplayedOptions, readSetting } from '../evidence-setting.ts';
import { mayObserve, observeAll } from '../observations.ts';
import { plan } from '../plan.ts';
import { judgeAlone, judgeFurther, judgeLaterPages, resultWithoutRun } from '../schedule.ts';
import { Session } from '../session.ts';
import { type Difference, differencesOf, runDifferences } from './differences.ts';
import { RecordedRun } from './recorded-run.ts';
import { type Missing, ReplayClient } from './replay-client.ts';

/** The outcome of a replay. */
export interface Replay {
  /** The new results of the targets, in the order of the run. */
  readonly targets: readonly TargetResult[];
  /** Differences; empty if every verdict, violation and observation is the same. */
  readonly differences: readonly Difference[];
  readonly missing: readonly Missing[];
  /** Whether this build of Assay judged the run; null if the evidence does not say. */
  readonly isSameBuild: boolean | null;
  /**
   * Number of verdicts of custom checks. A replay does not run these, so that evidence cannot execute foreign
   * code.
   */
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
    return { ...readSetting(setting, client.restorer), build, own, then };
  });
  const [{ options } = { options: null }] = settings;
  const ownChecks = Object.assign({}, ...settings.map(({ own }) => own)) as Replay['ownChecks'];
  const runLevel = [...runDifferences(results, run), ...run.faults];
  const leftOut = chosen.flatMap(({ requirements }) => requirements.filter(isCustomCheck)).length;
  if (options === null)
    return { targets: [], differences: runLevel, missing: [], isSameBuild: null, leftOut, ownChecks };
  const suite = checks ?? conformance;
  const judgeInParallel = async (): Promise<readonly TargetResult[]> => {
    const { targets } = await conform(
      settings.map(({ target }) => target),
      {
        ...options,
        command: '',
        runId: results.run.id,
        evidenceFile: null,
        listener: () => undefined,
        signal: null,
        checks: suite,
        replay: client,
      },
    );
    return targets;
  };
  const judgeInTurn = async (): Promise<readonly TargetResult[]> => {
    const judged: TargetResult[] = [];
    for (const { target, then, options } of settings)
      judged.push(await judgeSequentially(target, then, options, { client, checks: suite }));
    return judged;
  };
  const replayed = await client.drive(options.inTurn == null ? judgeInParallel() : judgeInTurn());
  const unasked = results.run.complete ? run.unrequested(new Set(chosen.map(({ name }) => name))) : [];
  const judged = chosen.flatMap((before, index) => {
    const now = replayed[index] ?? null;
    return differencesOf(now === null ? before : withoutCustomChecks(before, now), now);
  });
  const differences = [...runLevel, ...judged, ...unasked];
  const builds = checks === undefined ? settings.map(({ build }) => build) : [null];
  const isSameBuild = builds.includes(null) ? null : builds.every((build) => build === packageDigest());
  return { targets: replayed, differences, missing: client.missing, isSameBuild, leftOut, ownChecks };
}

/**
 * A result without custom checks. Uses the traffic of the replay, because the traffic of custom checks cannot
 * be separated.
 */
function withoutCustomChecks(then: TargetResult, now: TargetResult): TargetResult {
  if (!then.requirements.some(isCustomCheck)) return then;
  const requirements = then.requirements.filter((one) => !isCustomCheck(one));
  const outcome = outcomeOf(requirements);
  return { ...then, requirements, outcome, traffic: now.traffic };
}

/** Replays a target as Playwright Test ran it: one check after the other, in the recorded order. */
async function judgeSequentially(
  target: Target,
  then: TargetResult,
  options: ReplayedOptions,
  { client, checks }: { readonly client: ReplayClient; readonly checks: readonly Check[] },
): Promise<TargetResult> {
  const redactor = new Redactor(options.tokensBefore);
  client.redactor = redactor;
  const { connect, clock } = client;
  const session = new Session({
    target,
    options,
    checks,
    redactor,
    signal: null,
    environment: {},
    connect,
    clock,
  });
  const entries = plan(checks, session.inputs).map(({ check, input }) => {
    const { name } = input.list.resource;
    return { check, input, name, key: keyOf(check.requirement.id, check.scope === 'target' ? null : name) };
  });
  const results = new Map<string, JudgedResult>();
  let observations: readonly ObservationResult[] = [];
  for (const [id, list] of options.inTurn ?? []) {
    const entry = entries.find(({ key }) => key === keyOf(id, list));
    if (id === OBSERVATIONS) observations = await observeAll(session, mayObserve(options));
    else if (entry !== undefined) results.set(entry.key, await judgeAlone(entry.check, entry.input, options));
  }
  /** What the run recorded of checks that it did not judge. */
  const recorded = new Map<JudgedResult, RequirementResult>();
  const known = new Map(then.requirements.map((one) => [keyOf(one.id, one.resource), one]));
  const requirements = entries.map(({ check, name, key }) => {
    const result = results.get(key);
    if (result !== undefined) return result;
    // A check without an entry in the recorded order was not judged, or was judged after all others.
    const before = known.get(key);
    const kind = before?.cause?.kind === 'interrupted' ? 'interrupted' : 'unselected';
    const unjudged = resultWithoutRun(check, name, { kind });
    if (before?.cause?.kind === kind) recorded.set(unjudged, before);
    return unjudged;
  });
  const tests = { checks, inputs: session.inputs, options };
  const judged = await judgeLaterPages(await judgeFurther(requirements, tests), tests);
  const result = session.result({
    records: await session.records(),
    requirements: resolveCauses(judged).map((one, index) => {
      const unjudged = judged[index];
      return (unjudged === undefined ? undefined : recorded.get(unjudged)) ?? one;
    }),
    observations,
  });
  await session.close();
  return result;
}

function keyOf(id: string, list: string | null): string {
  return JSON.stringify([id, list]);
}
