import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import { catalogue } from '../../specs/catalogue.ts';
import { conclusionOf, isTolerated, withAllowance } from '../core/conclusion.ts';
import { FILE_NAMES } from '../core/file-names.ts';
import type { Results, Shard } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import { outcomeOfAll } from '../core/verdict.ts';
import { printableLine } from '../core/visible-text.ts';
import { readEvidence } from '../evidence/reader.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { sealRun } from '../evidence/seal/seal-run.ts';
import { readSigningKey } from '../evidence/seal/signature.ts';
import { startMock } from '../mock/index.ts';
import { bodiesShown, gatherEvidence } from '../report/evidence/exchange-views.ts';
import { writeReports } from '../report/folder/report-writer.ts';
import { RunFolder } from '../report/folder/run-folder.ts';
import type { Format } from '../report/formats/table.ts';
import type { EvidenceViews } from '../report/report-data.ts';
import { headline, stampOf } from '../report/wording/headline.ts';
import { runResults } from '../run/conform.ts';
import { joinEvidence } from '../run/merge.ts';
import { REFERENCE_RECORDS, referenceClockRate } from '../target/make.ts';
import { secretsOf, type Target } from '../target/target.ts';
import { errorWithoutStack, isFailure } from './breach-error.ts';
import { type Answer, type FinishedTarget, HostedTarget } from './hosted-target.ts';
import { type Question, SOCKET, serveJudging } from './judging-server.ts';
import {
  isExpirySelected,
  isInteractive,
  needsReferenceProvider,
  type Plan,
  readPlan,
  testTitle,
} from './run-plan.ts';

/**
 * Playwright's global setup: holds the sessions of all targets in the runner, judges for the workers, and starts the
 * embedded reference provider if no target is named. The teardown that it returns writes the run's folder, whichever
 * reporters are used.
 */
export default async function globalSetup(config: FullConfig): Promise<() => Promise<void>> {
  const startedAt = new Date();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const clockRate = referenceClockRate(isExpirySelected(process.env));
  const mock = needsReferenceProvider(process.env)
    ? await startMock({ records: REFERENCE_RECORDS, clockRate })
    : null;
  const plan = await readPlan(process.env, mock ?? undefined);
  const id = RunFolder.newId(startedAt);
  const runFolder = isInteractive(process.argv) ? null : openFolder(id);
  const discard = (): void => runFolder?.discard();
  process.once('exit', discard);
  const run = new HostedRun(plan, { id, folder, startedAt, config });
  const server = await serveJudging(run.targets, folder, (answer, question) => run.note(answer, question));
  process.env[SOCKET] = server.socket;
  const interrupt = (): void => run.interrupt();
  process.once('SIGINT', interrupt);
  return async () => {
    process.off('SIGINT', interrupt);
    try {
      const command = redactCommand(process.argv.slice(2), plan.targets);
      if (runFolder !== null) await run.finish(runFolder, command);
    } finally {
      server.close();
      await mock?.close();
      discard();
    }
  };
}

function openFolder(runId: string): RunFolder {
  try {
    return RunFolder.open({ out: process.env['ASSAY_OUT'] ?? null, runId });
  } catch (error) {
    throw errorWithoutStack('assay', messageOf(error));
  }
}

/** The command line of a Playwright run, without the secrets of its targets. */
export function redactCommand(words: readonly string[], targets: readonly Target[]): string {
  const redactor = new Redactor();
  for (const { secret, label, clientId } of targets.flatMap(secretsOf)) {
    redactor.add(secret, label);
    if (clientId !== null) redactor.addBasic(clientId, secret, `${label}-basic`);
  }
  return redactor.redact(['npx playwright', ...words].join(' '));
}

/** What is written besides results.json and report.html. */
const FORMATS: readonly Format[] = ['junit', 'allure'];

interface RunParts {
  readonly id: string;
  /** For evidence until the end of the run. */
  readonly folder: string;
  readonly startedAt: Date;
  readonly config: FullConfig;
}

/** The targets of a Playwright run, and what becomes of them in the end. */
class HostedRun {
  readonly targets: ReadonlyMap<string, HostedTarget>;
  readonly #plan: Plan;
  readonly #run: RunParts;
  readonly #shard: Shard | null;
  /** The tests that failed when they ran last: with --retries, one may pass the next time. */
  readonly #failing = new Set<string>();
  readonly #interruption = new AbortController();

  constructor(plan: Plan, run: RunParts) {
    this.#plan = plan;
    this.#run = run;
    const { folder, config } = run;
    this.#shard = config.shard && { index: config.shard.current, of: config.shard.total };
    this.targets = new Map(
      plan.targets.map((target, index) => [
        target.name,
        new HostedTarget(target, plan.customChecks.get(target.name) ?? [], plan, { folder, index }),
      ]),
    );
  }

  note({ judged }: Answer, question: Question): void {
    const test = keyOf(question);
    if (judged.some(({ result }) => isFailure(result))) this.#failing.add(test);
    else this.#failing.delete(test);
  }

  /** Ends the requests that are in progress, after Ctrl+C. */
  interrupt(): void {
    this.#interruption.abort();
    for (const target of this.targets.values()) target.stop();
  }

  /**
   * Judges what is left, writes the folder and prints where it is. Writes nothing if no test asked for a target.
   * Throws an error of one sentence if the run is not conformant and no failed test shows it.
   */
  async finish(folder: RunFolder, command: string): Promise<void> {
    const isStopped = this.#isStopped();
    const finished: FinishedTarget[] = [];
    for (const target of this.targets.values()) {
      const one = await target.finish(isStopped && !target.isComplete);
      if (one !== null) finished.push(one);
    }
    const isIdle = this.#isIdle(finished);
    if (finished.length === 0 && !isIdle) return;
    const isCut = isStopped && [...this.targets.values()].some(({ isComplete }) => !isComplete);
    const isComplete =
      !this.#interruption.signal.aborted && !isCut && finished.every((target) => !target.isInterrupted);
    const results = this.#results(finished, command, isComplete);
    await this.#write(results, finished, folder);
    const shard = this.#shard;
    const of = shard === null ? '' : ` (shard ${shard.index}/${shard.of})`;
    const summary = isIdle
      ? 'there was no target left to test.'
      : `${stampOf(results)}. ${headline(results)}`;
    const line = printableLine(`Assay${of}: ${summary} Report: ${path.join(folder.final, 'report.html')}`);
    process.stdout.write(`\n${line}\n`);
    if (!isIdle && !this.#interruption.signal.aborted) this.#expectShown(results, finished);
  }

  /** Whether Playwright ended the run before all selected tests had run. */
  #isStopped(): boolean {
    const { startedAt, config } = this.#run;
    const { maxFailures, globalTimeout } = config;
    return (
      this.#interruption.signal.aborted ||
      (maxFailures > 0 && this.#failing.size >= maxFailures) ||
      (globalTimeout > 0 && Date.now() - startedAt.getTime() >= globalTimeout)
    );
  }

  /** Where there are fewer targets than shards, one without tests is as it should be. */
  #isIdle(finished: readonly FinishedTarget[]): boolean {
    const hasFewerTargets = this.#shard !== null && this.#shard.of > this.targets.size;
    return finished.length === 0 && hasFewerTargets && !this.#interruption.signal.aborted;
  }

  #results(finished: readonly FinishedTarget[], command: string, complete: boolean): Results {
    const { id, startedAt } = this.#run;
    const { suite, seed, digest, tolerance } = this.#plan;
    const targets = finished.map(({ result }) => result);
    const divided = targets.length === 0 ? {} : { targets: digest };
    const shard = this.#shard === null ? {} : { shard: { ...this.#shard, ...divided } };
    const facts = { id, startedAt, suite, seed, complete, command, ...shard };
    const outcome = outcomeOfAll(targets, complete && targets.length > 0);
    const results = runResults(facts, { outcome, targets });
    return withAllowance(results, conclusionOf(results), tolerance);
  }

  async #write(results: Results, finished: readonly FinishedTarget[], folder: RunFolder): Promise<void> {
    const parts = finished.flatMap(({ evidence }) => evidence ?? []);
    const file = path.join(folder.staging, FILE_NAMES.evidence);
    const isRecorded = parts.length > 0 && parts.length === finished.length;
    if (isRecorded) await joinEvidence(parts, file);
    const evidence = isRecorded ? await viewsOf(results, file) : new Map();
    const uses = new Map(finished.map((one) => [one.result.name, one.uses]));
    await writeReports({ results, catalogue, evidence, uses, prove: null }, folder.staging, FORMATS);
    await sealRun(results, null, folder.staging, signingKeyOrNull());
    await folder.commit();
  }

  /** Fails a run that Playwright would let pass although `assay run` would not. */
  #expectShown(results: Results, finished: readonly FinishedTarget[]): void {
    const unshown = finished.flatMap(({ result: { name }, unshown: extra }) =>
      extra
        .filter(isFailure)
        .filter(
          ({ id, resource }) => !this.#failing.has(keyOf({ target: name, requirement: id, list: resource })),
        ),
    );
    if (unshown.length > 0) {
      const names = printableLine(unshown.map(({ id, resource }) => testTitle(id, resource)).join(', '));
      throw errorWithoutStack(
        'assay',
        `${names} failed, which no selected test shows. Run it with -g ${unshown[0]?.id}.`,
      );
    }
    if (this.#failing.size === 0 && !isTolerated(conclusionOf(results), this.#plan.tolerance))
      throw errorWithoutStack('assay', `The run is ${stampOf(results)}. ${headline(results)}`);
  }
}

/** A key for the test that asks this question. */
function keyOf({ target, requirement, list }: Question): string {
  return JSON.stringify([target, requirement, list]);
}

// Without readable evidence there are no charts and excerpts, but still a report.
function viewsOf(results: Results, file: string): Promise<EvidenceViews> {
  return gatherEvidence(results, readEvidence(file, { needsBody: bodiesShown(results) })).catch(
    () => new Map(),
  );
}

// Without a key that can be read the run is sealed all the same, and not signed.
function signingKeyOrNull(): KeyObject | null {
  try {
    return readSigningKey(null, process.env);
  } catch (error) {
    process.stderr.write(`assay: the run is not signed: ${printableLine(messageOf(error))}\n`);
    return null;
  }
}
