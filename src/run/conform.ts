import { setMaxListeners } from 'node:events';
import { suite as conformance } from '../../specs/suite.ts';
import { resolveCauses } from '../core/cause-resolution.ts';
import { withReason } from '../core/cause-sentences.ts';
import { type Clock, RunClock } from '../core/clock.ts';
import { thisTool } from '../core/package-file.ts';
import type { JudgedResult, ObservationResult, Results, TargetResult } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import { outcomeOfAll } from '../core/verdict.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { EvidenceWriter } from '../evidence/writer.ts';
import { plan } from '../judge/check.ts';
import type { Target } from '../target/target.ts';
import { type ConformOptions, TARGETS_AT_ONCE } from './conform-options.ts';
import { withExitGuard } from './custom-checks.ts';
import { settingOf, TOKENS_PER_PROCESS } from './evidence-setting.ts';
import {
  judgeAll,
  judgeFurther,
  judgeInTurn,
  judgeLaterPages,
  observeAll,
  whyUnselected,
} from './schedule.ts';
import { Session } from './session.ts';

/** Tests targets in this process, without Playwright. Never throws because of a provider. */
export async function conform(targets: readonly Target[], options: ConformOptions): Promise<Results> {
  const startedAt = new Date();
  const shard = options.shard ?? null;
  const redactor = options.replay?.redactor ?? new Redactor(((shard?.index ?? 1) - 1) * TOKENS_PER_PROCESS);
  const { evidenceFile = null } = options;
  const evidence = evidenceFile === null ? null : new EvidenceWriter(evidenceFile, redactor);
  const results: TargetResult[] = new Array(targets.length);
  const signal = AbortSignal.any(options.signal === null ? [] : [options.signal]);
  // Every target adds listeners, which would cause leak warnings.
  setMaxListeners(0, signal);
  const clock = new RunClock(signal, startedAt.getTime());
  const run: RunContext = { options, redactor, evidence, signal, clock };
  try {
    const queue = targets.entries();
    const worker = async (): Promise<void> => {
      for (const [index, target] of queue) results[index] = await conformOne(target, run);
    };
    await Promise.all(Array.from({ length: Math.min(TARGETS_AT_ONCE, targets.length) }, worker));
  } finally {
    // A failure to write evidence does not affect the verdicts.
    await evidence
      ?.close()
      .then(options.onEvidenceWritten, (error: unknown) => options.onEvidenceLost?.(messageOf(error)));
  }
  const complete = options.signal?.aborted !== true;
  const facts = {
    id: options.runId,
    startedAt,
    suite: options.suite,
    seed: options.seed,
    complete,
    command: redactor.redact(options.command),
    ...(options.issuer == null ? {} : { issuer: options.issuer }),
    ...(shard === null ? {} : { shard }),
  };
  return runResults(facts, { outcome: outcomeOfAll(results, complete), targets: results });
}

/** What all targets of a run share. */
interface RunContext {
  readonly options: ConformOptions;
  readonly redactor: Redactor;
  /** Null if no evidence is written. */
  readonly evidence: EvidenceWriter | null;
  readonly signal: AbortSignal;
  readonly clock: RunClock;
}

async function conformOne(target: Target, run: RunContext): Promise<TargetResult> {
  const { options, redactor, evidence } = run;
  const { name } = target;
  const checks = options.checks ?? conformance;
  const customChecks = options.customChecks?.(target) ?? [];
  const session = openSession(target, run);
  evidence?.describe(name, settingOf(target, options, redactor, options.checks === undefined));
  const planned = plan([...checks, ...customChecks], target.resources);
  const selected = planned.filter(({ check }) => whyUnselected(check, options) === null).length;
  options.listener?.({ type: 'target-started', target: name, requirements: planned.length, selected });
  try {
    const report = (result: JudgedResult): void =>
      options.listener?.({ type: 'verdict', target: name, result: withReason(result) });
    const tests = { checks, inputs: session.inputs, options, report };
    const { inTurn = null, observes = inTurn === null } = options;
    let observations: readonly ObservationResult[] = [];
    const observe = async (): Promise<void> => {
      observations = await observeAll(session, options);
    };
    const judged =
      inTurn === null
        ? await judgeAll(tests)
        : await judgeInTurn(inTurn, tests, observe, options.replay?.wasInterrupted ?? (() => false));
    const further = await judgeFurther(judged, tests);
    const records = await session.records();
    if (observes) await observe();
    const suiteResults = resolveCauses(
      options.observes === false ? further : await judgeLaterPages(further, tests),
    );
    await session.idle();
    const uses = session.uses();
    evidence?.conclude(name, uses);
    const judgeCustom = () => judgeAll({ ...tests, checks: customChecks, inputs: session.customInputs });
    const customResults = customChecks.length === 0 ? [] : await withExitGuard(target.checks, judgeCustom);
    const requirements = [...suiteResults, ...customResults.map(withReason)];
    const result = session.result({ records, requirements, observations });
    options.listener?.({ type: 'target-finished', target: name, result });
    return result;
  } finally {
    await session.close();
  }
}

/** A session that writes evidence and reports its progress. */
function openSession(target: Target, { options, redactor, evidence, signal, clock }: RunContext): Session {
  let pages = 0;
  let records = 0;
  const session = new Session({
    target,
    options,
    checks: options.checks ?? conformance,
    redactor,
    signal,
    environment: options.environment ?? process.env,
    clock: reportingClock(clock, options.onWait ?? (() => undefined)),
    ...options.replay,
    events: {
      onDelivery: (exchange) => clock.note(exchange),
      onExchange: (exchange, check) => {
        evidence?.record(target.name, exchange, check);
        const { requests } = session;
        options.listener?.({ type: 'progress', target: target.name, requests, pages, records });
        return evidence?.ready();
      },
      onPage: (count) => {
        pages++;
        records += count;
      },
    },
  });
  return session;
}

/** A clock that reports waits. A pause without a signal is none: it comes after a lock-out or a limit, and lasts some seconds. */
export function reportingClock(clock: Clock, onWait: (until: number) => void): Clock {
  return {
    now: () => clock.now(),
    sleep: (milliseconds, signal) => {
      if (signal !== null) onWait(clock.now() + milliseconds);
      return clock.sleep(milliseconds, signal);
    },
  };
}

interface RunFacts extends Omit<Results['run'], 'startedAt' | 'finishedAt'> {
  readonly startedAt: Date;
}

export function runResults(
  { id, startedAt, ...facts }: RunFacts,
  { outcome, targets }: Pick<Results, 'outcome' | 'targets'>,
): Results {
  return {
    format: 'assay-results/1',
    tool: thisTool(),
    run: { id, startedAt: startedAt.toISOString(), finishedAt: new Date().toISOString(), ...facts },
    outcome,
    targets,
  };
}
