import { setMaxListeners } from 'node:events';
import { observers } from '../../specs/observations/index.ts';
import { suite as conformance } from '../../specs/suite.ts';
import type { Cause } from '../core/cause.ts';
import { reasonOf, withSettledCauses } from '../core/cause-sentences.ts';
import { type Clock, SYSTEM_CLOCK } from '../core/clock.ts';
import { packageVersion } from '../core/package-file.ts';
import type { RequirementId } from '../core/requirement-id.ts';
import type {
  ObservationResult,
  RequirementResult,
  Results,
  RunEvent,
  Shard,
  TargetResult,
} from '../core/results.ts';
import { outcomeOf, outcomeOfAll } from '../core/verdict.ts';
import type { EvidenceEntry } from '../evidence/evidence-entry.ts';
import { Redactor } from '../evidence/redactor.ts';
import type { EvidenceWriter } from '../evidence/writer.ts';
import type { Check } from '../judge/check.ts';
import { type Bench, judge } from '../judge/judge.ts';
import { MAX_FURTHER_REQUESTS } from '../judge/list-departures.ts';
import { look } from '../judge/observe.ts';
import { seesBreach } from '../judge/suspicion.ts';
import type { Target } from '../target/target.ts';
import { withExitGuard } from './exit-guard.ts';
import { type Line, type LineParts, Session } from './session.ts';
import { type JudgingOptions, settingOf, TOKENS_APART } from './setting.ts';

/** How a run is carried out. */
export interface ConformOptions extends JudgingOptions {
  /** Which part of a larger run this is; null or left out where it is whole. */
  readonly shard?: Shard | null;
  /** Who certifies, for the record; null or left out where nobody is named. */
  readonly issuer?: string | null;
  /** The command line, for the record; secrets are removed from it. */
  readonly command: string;
  readonly runId: string;
  /** Where evidence goes as the run goes on; null for nowhere. */
  readonly evidenceFile: string | null;
  /** Told, in one sentence, where evidence could not be written (a full disk); the verdicts are whole all the same. */
  readonly onEvidenceLost?: (sentence: string) => void;
  /** Told every exchange as evidence has it, secrets removed, when it is about to be written. Must not throw. */
  readonly onRecorded?: (entry: EvidenceEntry) => void;
  readonly listener: (event: RunEvent) => void;
  /** Aborting it ends the run in order, with an incomplete result. */
  readonly signal: AbortSignal | null;
  /** Read for proxies; the process's own where left out. */
  readonly environment?: NodeJS.ProcessEnv;
  /** False keeps observations to what the checks asked anyway; true where left out. */
  readonly inquire?: boolean;
  /** The checks; the conformance suite where left out. */
  readonly checks?: readonly Check[];
  /** Checks of the user's own for a target; they come last, with looks of their own, and change nothing for the others. */
  readonly own?: (target: Target) => readonly Check[];
  /** Told when a check begins to wait, and until when, in milliseconds since the epoch. */
  readonly onWait?: (until: number) => void;
  /** For a replay or a rehearsal: what carries requests, its time, and what removes secrets. */
  readonly replay?: {
    readonly connect: (parts: LineParts) => Line;
    readonly clock: Clock;
    readonly redactor: Redactor;
  };
}

/** The requirement that a token breaks which the provider refuses before its time. */
export const ENDS_EARLY: RequirementId = 'token/accepted-until-expiry';

/** Targets judged at a time; each keeps its own limits. */
const TARGETS_AT_ONCE = 32;

/**
 * Judges targets and gathers the results (in process: no Playwright). Never throws for anything a provider does.
 */
export async function conform(targets: readonly Target[], options: ConformOptions): Promise<Results> {
  const startedAt = new Date();
  const shard = options.shard ?? null;
  const redactor = options.replay?.redactor ?? new Redactor(((shard?.index ?? 1) - 1) * TOKENS_APART);
  const evidence =
    options.evidenceFile === null ? null : await openEvidence(options.evidenceFile, redactor, options);
  const results: TargetResult[] = new Array(targets.length);
  const stop = relayOf(options.signal);
  try {
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < targets.length; index = next++) {
        results[index] = await conformOne(targets[index] as Target, options, redactor, evidence, stop.signal);
      }
    };
    await Promise.all(Array.from({ length: Math.min(TARGETS_AT_ONCE, targets.length) }, worker));
  } finally {
    stop.dispose();
    await closed(evidence, options);
  }
  const complete = options.signal?.aborted !== true;
  return {
    format: 'assay-results/1',
    tool: { name: 'assay', version: packageVersion(), node: process.version },
    run: {
      id: options.runId,
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      suite: options.suite,
      seed: options.seed,
      complete,
      command: redactor.redact(options.command),
      ...(options.issuer == null ? {} : { issuer: options.issuer }),
      ...(shard === null ? {} : { shard }),
    },
    outcome: outcomeOfAll(
      results.map(({ outcome }) => outcome),
      complete,
    ),
    targets: results,
  };
}

/**
 * A signal that stops with the caller's, for as many targets as are judged at a time: each listens to it, which of the
 * caller's own would look like a leak.
 */
function relayOf(signal: AbortSignal | null): { readonly signal: AbortSignal; readonly dispose: () => void } {
  const relay = new AbortController();
  setMaxListeners(0, relay.signal);
  const stop = (): void => relay.abort(signal?.reason);
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  return { signal: relay.signal, dispose: () => signal?.removeEventListener('abort', stop) };
}

// Verdicts outlive their evidence: what a provider was found to do is not less true for a full disk.
async function closed(evidence: EvidenceWriter | null, options: ConformOptions): Promise<void> {
  try {
    await evidence?.close();
  } catch (error) {
    options.onEvidenceLost?.(error instanceof Error ? error.message : String(error));
  }
}

async function openEvidence(
  file: string,
  redactor: Redactor,
  { onRecorded }: ConformOptions,
): Promise<EvidenceWriter> {
  const { EvidenceWriter } = await import('../evidence/writer.ts');
  return new EvidenceWriter(file, redactor, onRecorded);
}

async function conformOne(
  target: Target,
  options: ConformOptions,
  redactor: Redactor,
  evidence: EvidenceWriter | null,
  signal: AbortSignal,
): Promise<TargetResult> {
  let pages = 0;
  let records = 0;
  const tell = (): void =>
    options.listener({ type: 'progress', target: target.name, requests: session.requests, pages, records });
  const session: Session = new Session({
    target,
    options,
    redactor,
    signal,
    environment: options.environment ?? process.env,
    clock: tellingClock(options.onWait ?? (() => undefined)),
    ...options.replay,
    events: {
      onExchange: (exchange, check) => {
        evidence?.record(target.name, exchange, null, check);
        tell();
        return evidence?.ready();
      },
      onPage: (count) => {
        pages++;
        records += count;
      },
    },
  });
  const checks = options.checks ?? conformance;
  const own = options.own?.(target) ?? [];
  evidence?.describe(target.name, settingOf(target, options, redactor, options.checks === undefined));
  options.listener({
    type: 'target-started',
    target: target.name,
    requirements: plan([...checks, ...own], target.resources).length,
  });
  try {
    const told = (result: RequirementResult): void =>
      options.listener({ type: 'verdict', target: target.name, result });
    const judged = await judgeAll(checks, session.benches, options, told);
    const built = withSettledCauses(await escalated(judged, checks, session.benches, options, told));
    const records = await session.records();
    const observations = await observeAll(session, (options.inquire ?? true) && mayInquire(options));
    await session.idle();
    evidence?.conclude(target.name, session.uses());
    const judgeOwn = () => judgeAll(own, session.benchesApart(), options, told);
    const ownResults = own.length === 0 ? [] : await withExitGuard(target.checks, judgeOwn);
    const requirements = [...built, ...ownResults];
    const result: TargetResult = {
      name: target.name,
      authUrl: target.authUrl,
      baseUrl: target.baseUrl,
      ...(target.product === null ? {} : { product: target.product }),
      outcome: outcomeOf(
        requirements.map(({ verdict, waiver }) => ({ verdict, waived: waiver?.active === true })),
      ),
      records,
      requirements,
      observations,
      traffic: session.traffic(),
    };
    options.listener({ type: 'target-finished', target: target.name, result });
    return result;
  } finally {
    await session.close();
  }
}

/** Judges every check for each list that it concerns, all at a time; results in the order of the plan. */
async function judgeAll(
  checks: readonly Check[],
  benches: readonly Bench[],
  options: ConformOptions,
  told: (result: RequirementResult) => void,
): Promise<readonly RequirementResult[]> {
  const planned = plan(checks, benches);
  const met = new Meeting(planned.length);
  return Promise.all(
    planned.map(async ({ check, resource }) => {
      const bench = benches[resource];
      if (bench === undefined) throw new Error('a target has at least one resource');
      const unselected = whyUnselected(check, options);
      const come = met.comer();
      const result =
        unselected === null
          ? await judge(check, bench, come)
          : skipped(check, bench.list.resource.name, unselected);
      void come();
      told(result);
      return result;
    }),
  );
}

/**
 * Judges, beside the requirements that were selected, those that the evidence points to: a requirement that blocks a
 * selected one, and, in the smoke suite, one whose breach shows in what was asked anyway. What `skip` names is left out.
 *
 * @param judged the results of all checks in the order of the plan
 */
async function escalated(
  judged: readonly RequirementResult[],
  checks: readonly Check[],
  benches: readonly Bench[],
  options: ConformOptions,
  told: (result: RequirementResult) => void,
): Promise<readonly RequirementResult[]> {
  const results = [...judged];
  const planned = plan(checks, benches);
  const isLeftOut = (index: number): boolean =>
    results[index]?.cause?.kind === 'unselected' && !options.skip.includes(results[index]?.id ?? '');
  const run = async (index: number): Promise<void> => {
    const { check, resource } = planned[index] as (typeof planned)[number];
    const bench = benches[resource] as Bench;
    // As the full suite judges it: a quick look may blame the wrong requirement.
    const result = await judge(check, { ...bench, options: { ...bench.options, suite: 'full' } });
    results[index] = result;
    told(result);
  };
  const left = planned.flatMap((_entry, index) => (isLeftOut(index) ? [index] : []));
  if (options.suite === 'smoke' && options.only.length === 0 && options.signal?.aborted !== true) {
    for (const index of left) {
      const { check, resource } = planned[index] as (typeof planned)[number];
      const bench = benches[resource] as Bench;
      const ended = check.requirement.id === ENDS_EARLY && bench.tokens.endings.length > 0;
      if (ended || (await seesBreach(check, bench))) await run(index);
    }
  }
  for (;;) {
    const next = left.find((index) => isLeftOut(index) && blocks(results[index], results));
    if (next === undefined || options.signal?.aborted === true) return results;
    await run(next);
  }
}

/** Whether any of the results is blocked by that requirement, of that list where it is about one. */
function blocks(one: RequirementResult | undefined, results: readonly RequirementResult[]): boolean {
  return results.some(
    ({ cause }) =>
      cause?.kind === 'blocked' &&
      cause.by === one?.id &&
      (one.resource === null || cause.resource === null || cause.resource === one.resource),
  );
}

/** Where checks that run side by side wait for each other, each once. */
class Meeting {
  #missing: number;
  #open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  constructor(size: number) {
    this.#missing = size;
  }

  /** What one of them calls when it comes; it waits until all have come. */
  comer(): () => Promise<void> {
    let here = false;
    return () => {
      if (!here && --this.#missing === 0) this.#open();
      here = true;
      return this.#opened;
    };
  }
}

/**
 * What the specification leaves open. Observers that ask come first, so that the others read what they met, too.
 *
 * @param asking whether requests may be made for it
 */
export async function observeAll(session: Session, asking: boolean): Promise<readonly ObservationResult[]> {
  const entries = observers.flatMap((observer) =>
    session.benches.slice(0, observer.scope === 'list' ? undefined : 1).map((bench) => ({ observer, bench })),
  );
  const looked = new Map<(typeof entries)[number], ObservationResult>();
  for (const asks of [true, false]) {
    await session.idle();
    const log = session.exchanges();
    const turn = entries.filter(({ observer }) => observer.asks === asks);
    await Promise.all(
      turn.map(async (entry) => looked.set(entry, await look(entry.observer, entry.bench, { log, asking }))),
    );
  }
  return entries.map((entry) => looked.get(entry)).filter((result) => result !== undefined);
}

/** Whether a run may ask for what the specification leaves open: a quick look, or one at a few checks, does not. */
export function mayInquire(options: Pick<ConformOptions, 'suite' | 'only'>): boolean {
  return options.suite !== 'smoke' && options.only.length === 0;
}

/** Requests that a run makes beyond the usual ones where a provider refuses what the specification leaves open, at most. */
export function mostFurtherRequests(
  { resources }: Target,
  options: Pick<ConformOptions, 'suite' | 'only'>,
): number {
  return mayInquire(options) ? resources.length * MAX_FURTHER_REQUESTS : 0;
}

/** Every check with the number of the list it judges: those of the target once, the others for each list. */
export function plan(
  checks: readonly Check[],
  resources: readonly unknown[],
): readonly { readonly check: Check; readonly resource: number }[] {
  return checks.flatMap((check) =>
    check.scope === 'target'
      ? [{ check, resource: 0 }]
      : resources.map((_resource, resource) => ({ check, resource })),
  );
}

/** Why a check is left out, as half a sentence; null where it is in. */
export function whyUnselected(
  check: Check,
  options: Pick<ConformOptions, 'suite' | 'only' | 'skip'>,
): string | null {
  const { id, smoke } = check.requirement;
  if (options.skip.includes(id)) return '--skip names it';
  if (options.only.length > 0) return options.only.includes(id) ? null : '--only does not name it';
  return options.suite === 'smoke' && !smoke ? 'not part of the smoke suite' : null;
}

/**
 * The result of a check that was left out.
 *
 * @param detail why, as {@link whyUnselected} says
 */
export function skipped({ requirement, scope }: Check, resource: string, detail: string): RequirementResult {
  const cause: Cause = { kind: 'unselected' };
  return {
    id: requirement.id,
    resource: scope === 'target' ? null : resource,
    clause: requirement.clause,
    rule: requirement.rule,
    verdict: 'skipped',
    reason: reasonOf(cause, detail),
    cause,
    waiver: null,
    violations: [],
    cases: 0,
    requests: 0,
    durationMs: 0,
  };
}

function tellingClock(onWait: (until: number) => void): Clock {
  return {
    now: () => SYSTEM_CLOCK.now(),
    sleep: (milliseconds, signal) => {
      onWait(SYSTEM_CLOCK.now() + milliseconds);
      return SYSTEM_CLOCK.sleep(milliseconds, signal);
    },
  };
}
