import path from 'node:path';
import { withAllowance } from '../../core/conclusion.ts';
import { FILE_NAMES } from '../../core/file-names.ts';
import { EXPIRY_REQUIREMENTS, REQUIREMENT_IDS, type RequirementId } from '../../core/requirement-id.ts';
import type { Results } from '../../core/results.ts';
import type { EvidenceIndex } from '../../evidence/line.ts';
import { readSigningKey } from '../../evidence/seal/signature.ts';
import { RunFolder } from '../../report/folder/run-folder.ts';
import type { ConformOptions } from '../../run/conform-options.ts';
import { selectIds } from '../../run/custom-checks.ts';
import type { Target } from '../../target/target.ts';
import { waiverWarnings } from '../../target/warnings.ts';
import {
  type Arguments,
  EXIT,
  type ExitStatus,
  exitStatusOf,
  type Host,
  STOPPING,
  statusWithLoss,
  UsageError,
  watchInterruption,
} from '../command.ts';
import { comparedWith } from '../shared/baseline.ts';
import { commandLine } from '../shared/options.ts';
import { readRun } from '../shared/run-files/results-file.ts';
import { openFolder, publishRun } from '../shared/run-files/run-output.ts';
import { openTargets, type RunTargets } from '../shared/run-targets.ts';
import { expectSelection, type RunOptions, readRunOptions } from './options.ts';
import {
  countdown,
  liveProgress,
  PROGRESS,
  type Progress,
  plainProgress,
  progressFile,
  silentProgress,
} from './progress.ts';

/** This requirement is not tested if the target supplies an expired token, because then no token has to expire. */
const NEEDS_WAITING: RequirementId = 'token/accepted-until-expiry';

export async function performRun(args: Arguments, host: Host, words: readonly string[]): Promise<ExitStatus> {
  const given = readRunOptions(args);
  const id = RunFolder.newId();
  const key = readSigningKey(given.sign, host.env);
  const baseline = given.baseline === null ? null : (await readRun(given.baseline)).results;
  const opened = await openTargets(given, host.env);
  const progress = progressFor(host, given);
  let folder: RunFolder | null = null;
  // Active until the end, because writing the report takes time as well.
  const interruption = watchInterruption(
    () => progress.say(`assay: ${STOPPING}`),
    () => {
      progress.finish();
      folder?.discard();
    },
  );
  try {
    const options = completeOptions(given, opened, baseline);
    folder = openFolder(id, options.out);
    opened.warnings.forEach(host.warn);
    for (const target of opened.targets) waiverWarnings(target, new Date()).forEach(host.warn);
    certificationGaps(opened.targets, options).forEach(host.warn);
    if (options.expiry && !selectsWaiting(options))
      host.warn(`--expiry has no effect, because neither ${EXPIRY_REQUIREMENTS.join(' nor ')} is selected`);
    const { signal } = interruption;
    const { results, index } = await execute(opened, folder, progress, {
      ...options,
      command: commandLine(['assay', ...words]),
      runId: id,
      signal,
      onEvidenceLost: (sentence) =>
        host.warn(`${sentence}; the run is printed but not written, because it could not be verified`),
    });
    const interrupted = signal.aborted;
    const compared = comparedWith(results, baseline);
    const { conclusion } = compared;
    const isPublished = await publishRun(
      {
        ...options,
        results: withAllowance(compared.results, conclusion, options),
        remaining: compared.remaining,
        folder: index === null ? null : folder,
        key,
        index,
      },
      host,
    );
    const report = options.json ? host.err : host.out;
    report.write(compared.words);
    if (interrupted) return EXIT.interrupted;
    return statusWithLoss(
      compared.isOutdated ? EXIT.failed : exitStatusOf(conclusion, options),
      !isPublished,
    );
  } finally {
    await opened.close();
    folder?.discard();
    interruption.dispose();
  }
}

/** The options with what the targets and the baseline decide. */
function completeOptions(
  given: RunOptions,
  { targets, customChecks }: RunTargets,
  baseline: Results | null,
): RunOptions {
  expectCertifiable(targets, given);
  const customIds = targets.flatMap((target) =>
    customChecks(target).map(({ requirement }) => requirement.id),
  );
  const options: RunOptions = {
    ...given,
    only: selectIds(given.only, customIds),
    skip: selectIds(given.skip, customIds),
    expiry: waitsForExpiry(targets, given),
    // The same seed sends the same requests, so that known failures are recognised.
    seed: baseline === null || given.seeded ? given.seed : baseline.run.seed,
  };
  expectSelection(options, customIds);
  return options;
}

/** The results, and the index of the evidence; null if it could not be written. */
async function execute(
  { targets, customChecks }: RunTargets,
  folder: RunFolder,
  progress: Progress,
  options: RunOptions & Omit<ConformOptions, 'evidenceFile' | 'listener'>,
): Promise<{ readonly results: Results; readonly index: EvidenceIndex | null }> {
  const writeProgress = progressFile(path.join(folder.staging, PROGRESS));
  const waits = countdown(options.quiet ? () => undefined : (sentence) => progress.say(sentence));
  try {
    // Loaded here, so that a mistake in an option or a target file is reported without delay.
    const { conform } = await import('../../run/conform.ts');
    let index: EvidenceIndex | null = null;
    const results = await conform(targets, {
      ...options,
      evidenceFile: path.join(folder.staging, FILE_NAMES.evidence),
      onEvidenceWritten: (written) => {
        index = written;
      },
      onWait: waits.begin,
      listener: (event) => {
        progress.listener(event);
        writeProgress(event);
      },
      customChecks,
    });
    return { results, index };
  } finally {
    waits.stop();
    progress.finish();
  }
}

function progressFor(host: Host, options: RunOptions): Progress {
  if (options.quiet) return silentProgress(host.err);
  return host.err.live ? liveProgress(host.err) : plainProgress(host.err, options.suite);
}

/** Throws UsageError before any request if a certification cannot be complete. */
function expectCertifiable(targets: readonly Target[], options: RunOptions): void {
  if (options.suite !== 'certify') return;
  if (options.only.length > 0 || options.skip.length > 0)
    throw new UsageError('a certification covers every requirement: leave out --only and --skip');
  const incomplete = targets.find(({ otherCredentials }) => otherCredentials === null);
  if (incomplete !== undefined)
    throw new UsageError(
      `a certification of ${incomplete.name} needs a second provider's credentials (otherCredentials) in its target file`,
    );
}

/** Whether a run waits for a token to expire: a certification does unless every target supplies an expired one. */
function waitsForExpiry(targets: readonly Target[], options: RunOptions): boolean {
  if (options.expiry || options.suite !== 'certify') return options.expiry;
  return targets.some(({ expiredToken }) => expiredToken === null);
}

function selectsWaiting({ suite, only, skip }: RunOptions): boolean {
  return EXPIRY_REQUIREMENTS.some(
    (id) => !skip.includes(id) && (only.length > 0 ? only.includes(id) : suite !== 'smoke'),
  );
}

/** One sentence per target with requirements that a certification does not test, and how to test them. */
function certificationGaps(targets: readonly Target[], options: RunOptions): readonly string[] {
  if (options.suite !== 'certify' || waitsForExpiry(targets, options)) return [];
  const all = REQUIREMENT_IDS.length;
  return targets.map(
    ({ name }) =>
      `${name}: with expiredToken and without --expiry, ${all - 1} of ${all} requirements can be tested; add --expiry to test ${NEEDS_WAITING} as well (it waits about an hour for a token to expire)`,
  );
}
