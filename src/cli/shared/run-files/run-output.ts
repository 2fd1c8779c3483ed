import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '../../../../specs/catalogue.ts';
import { jsonText } from '../../../core/json-text.ts';
import type { Results } from '../../../core/results.ts';
import { sha256 } from '../../../core/sha256.ts';
import { describeFileError, describeSystemError } from '../../../core/system-error.ts';
import type { EvidenceIndex } from '../../../evidence/line.ts';
import { sealRun } from '../../../evidence/seal/seal-run.ts';
import { render, writeReports } from '../../../report/folder/report-writer.ts';
import { type PROVE_FILES, REPORTS, RunFolder, RunFolderError } from '../../../report/folder/run-folder.ts';
import type { Format } from '../../../report/formats/table.ts';
import { FormatError, withoutEvidence } from '../../../report/report-data.ts';
import { renderTerminal } from '../../../report/terminal.ts';
import type { Host } from '../../command.ts';
import { UsageError } from '../process.ts';
import { writeCertification, writeSubmission } from './certification-files.ts';
import { PROGRESS } from './progress-file.ts';
import { proofOfBuild } from './proof.ts';
import { gatherReportData } from './report-data.ts';

interface WriteOptions {
  readonly formats: readonly Format[];
  readonly key: KeyObject | null;
  readonly env: Host['env'];
  /** Index of the evidence in the folder; read from it if absent. */
  readonly index?: EvidenceIndex;
}

interface PrintOptions {
  readonly quiet: boolean;
  readonly json: boolean;
}

/**
 * Opens the folder of a run or a proof before the first request.
 *
 * @throws RunFolderError if it contains other files; UsageError if it cannot be written
 */
export function openFolder(id: string, out: string | null, files?: typeof PROVE_FILES): RunFolder {
  try {
    return RunFolder.open({ out, runId: id, ...(files === undefined ? {} : { files }) });
  } catch (error) {
    if (error instanceof RunFolderError) throw error;
    const folder = out === null ? `the folder ${REPORTS}` : `--out ${out}`;
    const other = out === null ? '--out selects another folder' : 'choose another folder';
    throw new UsageError(`${folder} cannot be written: ${describeSystemError(error)}; ${other}`);
  }
}

/** Writes the reports and moves the folder into place. Returns null, after a warning, if that fails. */
export async function writeRun(
  results: Results,
  folder: RunFolder,
  { formats, key, env, index }: WriteOptions,
  warn: (sentence: string) => void,
): Promise<{ readonly folder: string; readonly isIncomplete: boolean } | null> {
  try {
    const { staging } = folder;
    // A part of a run is no certification.
    const isCertification = results.run.suite === 'certify' && results.run.complete;
    const proof = await proofOfBuild(warn);
    const data = await gatherReportData(results, staging, {
      formats,
      warn,
      proof,
      ...(index === undefined ? {} : { index }),
    });
    const isIncomplete = await writeReports(data, staging, formats).then(
      () => false,
      (error: unknown) => {
        if (!(error instanceof FormatError)) throw error;
        warn(error.message);
        return true;
      },
    );
    folder.forget(PROGRESS);
    if (isCertification) await writeCertification({ results, proof, folder: staging, key, env, warn });
    await sealRun(results, proof === null ? null : sha256(proof.text), staging, key);
    if (isCertification) await writeSubmission(staging);
    return { folder: await folder.commit(), isIncomplete };
  } catch (error) {
    warn(`the report could not be written: ${describeFileError(error)}`);
    return null;
  }
}

/**
 * Prints annotations for GitHub Actions, which reads both streams. With --json they go to standard error.
 *
 * @param remaining the results without failures that a baseline accepts
 */
export async function annotate(
  results: Results,
  host: Host,
  options: PrintOptions,
  remaining: Results = results,
): Promise<void> {
  if (host.env['GITHUB_ACTIONS'] !== 'true') return;
  const { renderAnnotations } = await import('../../../report/annotations.ts');
  (options.json ? host.err : host.out).writeCommands(renderAnnotations(results, remaining));
}

/** Appends the summary to the job summary of GitHub Actions. */
export async function addJobSummary(
  results: Results,
  env: Host['env'],
  warn: (sentence: string) => void,
): Promise<void> {
  const file = env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  try {
    await appendFile(file, await render(withoutEvidence(results, catalogue), 'markdown'));
  } catch (error) {
    warn(`the job summary could not be written: ${describeFileError(error)}`);
  }
}

/** Prints the report, or the results as JSON. */
export function printRun(results: Results, folder: string | null, options: PrintOptions, host: Host): void {
  const report = options.json ? host.err : host.out;
  const page = folder === null ? null : path.join(folder, 'report.html');
  const where = page !== null && existsSync(page) ? page : null;
  if (options.json) host.out.write(`${jsonText(results)}\n`);
  if (options.json && options.quiet) return;
  report.write(
    renderTerminal(results, { colour: report.colour, width: report.width(), folder: where, catalogue }),
  );
}
