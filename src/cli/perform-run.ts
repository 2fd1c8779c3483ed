import path from 'node:path';
import { conclusionOf } from '../core/conclusion.ts';
import { keepYoungSpaceSteady } from '../core/garbage.ts';
import type { Results } from '../core/results.ts';
import type { Gathering } from '../report/evidence/exchange-views.ts';
import { RunFolder } from '../report/run-folder.ts';
import { visible } from '../report/safe-text.ts';
import { isOverview } from '../report/target-selection.ts';
import { selected } from '../run/own-checks.ts';
import { waiverWarnings } from '../target/warnings.ts';
import { baselineWords, type Comparison, compareWithBaseline } from './baseline.ts';
import { certificationGaps, expectCertifiable, waitsForExpiry } from './certify.ts';
import type { Arguments } from './command.ts';
import { commandLine } from './command-line.ts';
import { countdown } from './countdown.ts';
import { EXIT, type ExitStatus, exitStatusOf, withLoss } from './exit-status.ts';
import { readResults, resultsFile } from './finished-run.ts';
import type { Host } from './host.ts';
import { watchInterruption } from './interruption.ts';
import { addJobSummary, annotate, keep, openFolder, tell } from './keep-run.ts';
import { liveProgress, type Progress, plainProgress, silentProgress } from './progress.ts';
import { PROGRESS, progressFile } from './progress-file.ts';
import { expectSelection, type RunOptions, readRunOptions } from './run-options.ts';
import { openTargets, type RunTargets } from './run-targets.ts';
import { readSigningKey } from './signing-key.ts';

/**
 * Carries out `assay run`.
 *
 * @throws errors for users where the run cannot begin
 */
export async function performRun(args: Arguments, host: Host, words: readonly string[]): Promise<ExitStatus> {
  const given = readRunOptions(args);
  const id = RunFolder.newId();
  const complain = (sentence: string): void => host.err.write(`assay: ${visible(sentence)}\n`);
  const key = await readSigningKey(given.sign, host.env);
  const baseline = given.baseline === null ? null : await readResults(await resultsFile(given.baseline));
  const opened = await openTargets(given, host.env);
  const progress = progressFor(host, given);
  let folder: RunFolder | null = null;
  // To the end: a report takes a while to be written, too.
  const interruption = watchInterruption(
    () => progress.say('assay: stopping; press Ctrl+C again to quit now'),
    () => {
      progress.finish();
      folder?.discard();
    },
  );
  try {
    expectCertifiable(opened.targets, given);
    const ownIds = opened.targets.flatMap((target) =>
      opened.own(target).map(({ requirement }) => requirement.id),
    );
    const options: RunOptions = {
      ...given,
      only: selected(given.only, ownIds),
      skip: selected(given.skip, ownIds),
      expiry: waitsForExpiry(opened.targets, given),
      // The same seed asks the same, so that a known failure shows the same way.
      seed: baseline === null || given.seeded ? given.seed : baseline.run.seed,
    };
    expectSelection(options, ownIds);
    folder = openFolder(id, options.out);
    for (const warning of opened.warnings) complain(warning);
    for (const target of opened.targets) waiverWarnings(target, new Date()).forEach(complain);
    certificationGaps(opened.targets, options).forEach(complain);
    let evidenceLost = false;
    const onEvidenceLost = (sentence: string): void => {
      evidenceLost = true;
      complain(`${sentence}; the run is told but not kept, since nobody could check it`);
    };
    const run = { options, id, words, folder, opened, onEvidenceLost, progress, signal: interruption.signal };
    const { results, interrupted, gathering } = await carryOut(run);
    const keeping = { ...options, key, env: host.env, gathering };
    const kept = folder === null || evidenceLost ? null : await keep(results, folder, keeping, complain);
    await addJobSummary(results, host.env, complain);
    tell(results, kept?.folder ?? null, options, host);
    const compared = baseline === null ? null : compareWithBaseline(results, baseline);
    await annotate(compared?.remaining ?? results, host, options);
    if (compared !== null)
      (options.json ? host.err : host.out).write(baselineWords(compared, baseline?.run.id ?? ''));
    if (interrupted) return EXIT.interrupted;
    const status = statusOf(results, compared, options);
    const tolerated = toleranceWords(compared?.remaining ?? results, options);
    if (tolerated !== null) (options.json ? host.err : host.out).write(tolerated);
    return withLoss(status, kept === null || kept.unmade);
  } finally {
    await opened.close();
    folder?.discard();
    interruption.dispose();
  }
}

function statusOf(results: Results, compared: Comparison | null, options: RunOptions): ExitStatus {
  if (compared !== null && compared.fresh.length + compared.stale.length > 0) return EXIT.failed;
  return exitStatusOf(conclusionOf(compared?.remaining ?? results), options);
}

/** What an exit status of 0 passes over because the user asked for it; null where it passes over nothing. */
function toleranceWords(results: Results, options: RunOptions): string | null {
  const tolerated = options.allowInconclusive && conclusionOf(results) === 'inconclusive';
  return tolerated
    ? 'Exit status 0 although the run is inconclusive: --allow-inconclusive was given.\n'
    : null;
}

interface Run {
  readonly options: RunOptions;
  readonly id: string;
  readonly words: readonly string[];
  readonly folder: RunFolder | null;
  readonly opened: RunTargets;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly onEvidenceLost: (sentence: string) => void;
}

interface CarriedOut {
  readonly results: Results;
  readonly interrupted: boolean;
  /** What a report shows of the evidence; null where it is to be read. */
  readonly gathering: Gathering | null;
}

async function carryOut(run: Run): Promise<CarriedOut> {
  const { options, folder, progress, signal } = run;
  const noted = folder === null ? null : progressFile(path.join(folder.staging, PROGRESS));
  const waits = countdown(options.quiet ? () => undefined : (sentence) => progress.say(sentence));
  try {
    // Loaded only now, so that a mistake in an option or a target file is told without delay.
    const { conform } = await import('../run/conform.ts');
    const { Gathering } = await import('../report/evidence/exchange-views.ts');
    // Loading code makes what stays, and goes faster with the room that it asks for; so do many targets at a time,
    // which hold much that is in use.
    if (run.opened.targets.length === 1) keepYoungSpaceSteady();
    // An overview shows the evidence of a few targets, which nobody knows yet.
    const gathering = isOverview({ targets: run.opened.targets }) ? null : new Gathering();
    const results = await conform(run.opened.targets, {
      suite: options.suite,
      only: options.only,
      skip: options.skip,
      seed: options.seed,
      shard: options.shard,
      runs: options.runs,
      expiry: options.expiry,
      issuer: options.issuer,
      command: commandLine(['assay', ...run.words]),
      runId: run.id,
      evidenceFile: folder === null ? null : path.join(folder.staging, 'evidence.ndjson.gz'),
      onEvidenceLost: run.onEvidenceLost,
      onRecorded: (entry) => gathering?.take(entry),
      onWait: waits.begin,
      listener: (event) => {
        progress.listener(event);
        noted?.(event);
      },
      signal,
      own: run.opened.own,
    });
    return { results, interrupted: signal.aborted, gathering };
  } finally {
    waits.stop();
    progress.finish();
  }
}

function progressFor(host: Host, options: RunOptions): Progress {
  if (options.quiet) return silentProgress(host.err);
  return host.err.live ? liveProgress(host.err) : plainProgress(host.err);
}
