import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '../../../../specs/catalogue.ts';
import { jsonText } from '../../../core/json-text.ts';
import type { Results } from '../../../core/results.ts';
import { sha256 } from '../../../core/sha256.ts';
import { describeFileError, describeSystemError } from '../../../core/system-error.ts';
import { UserError } from '../../../core/user-error.ts';
import type { EvidenceIndex } from '../../../evidence/line.ts';
import { sealRun } from '../../../evidence/seal/seal-run.ts';
import { render, writeReports } from '../../../report/folder/report-writer.ts';
import { REPORTS, RUN_FILES, RunFolder } from '../../../report/folder/run-folder.ts';
import type { Format } from '../../../report/formats/table.ts';
import { FormatError, withoutEvidence } from '../../../report/report-data.ts';
import { renderTerminal } from '../../../report/terminal.ts';
import { type Host, UsageError } from '../../command.ts';
import { PROGRESS } from '../../run/progress.ts';
import { writeCertification } from './certification-files.ts';
import { proofOfBuild } from './proof.ts';
import { gatherReportData } from './report-data.ts';

/** A run to be written and printed. */
interface Publication {
  readonly results: Results;
  /** The results without failures that a baseline accepts; the same unless there is one. */
  readonly remaining?: Results;
  /** Null if the run must not be written. */
  readonly folder: RunFolder | null;
  readonly formats: readonly Format[];
  /** The key to sign the run with; null for none. */
  readonly key: KeyObject | null;
  /** Index of the evidence in the folder; null to read it from there. */
  readonly index: EvidenceIndex | null;
  readonly quiet: boolean;
  readonly json: boolean;
}

/** Opens the folder of a run or a proof before the first request. Throws errors for users. */
export function openFolder(runId: string, out: string | null, files = RUN_FILES): RunFolder {
  try {
    return RunFolder.open({ out, runId, files });
  } catch (error) {
    if (error instanceof UserError) throw error;
    const folder = out === null ? `the folder ${REPORTS}` : `--out ${out}`;
    const other = out === null ? '--out selects another folder' : 'choose another folder';
    throw new UsageError(`${folder} cannot be written: ${describeSystemError(error)}; ${other}`);
  }
}

/**
 * Writes the folder of a run, prints its results, and adds the job summary and the annotations of GitHub Actions.
 *
 * @returns whether everything was written
 */
export async function publishRun(run: Publication, host: Host): Promise<boolean> {
  const { results, remaining = results, quiet, json } = run;
  const written = await writeRun(run, host);
  await addJobSummary(results, host);
  const report = json ? host.err : host.out;
  if (json) host.out.write(`${jsonText(results)}\n`);
  if (!json || !quiet) {
    const page = written === null ? null : path.join(written.folder, 'report.html');
    const shown = page !== null && existsSync(page) ? page : null;
    report.write(
      renderTerminal(results, { colour: report.colour, width: report.width(), folder: shown, catalogue }),
    );
  }
  // GitHub Actions reads both streams.
  if (host.env['GITHUB_ACTIONS'] === 'true') {
    const { renderAnnotations } = await import('../../../report/annotations.ts');
    report.writeCommands(renderAnnotations(results, remaining));
  }
  return written?.isComplete === true;
}

/** Writes the reports and moves the folder into place. Null if the run has none or, after a warning, if that fails. */
async function writeRun(
  { results, folder, formats, key, index }: Publication,
  host: Host,
): Promise<{ readonly folder: string; readonly isComplete: boolean } | null> {
  if (folder === null) return null;
  try {
    const { staging } = folder;
    // A part of a run is no certification.
    const isCertification = results.run.suite === 'certify' && results.run.complete;
    const proof = await proofOfBuild(host.warn);
    const data = await gatherReportData(results, staging, { formats, warn: host.warn, proof, index });
    const isComplete = await writeReports(data, staging, formats).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof FormatError)) throw error;
        host.warn(error.message);
        return false;
      },
    );
    folder.forget(PROGRESS);
    if (isCertification) await writeCertification(results, proof, staging, key, host);
    await sealRun(results, proof === null ? null : sha256(proof.text), staging, key);
    if (isCertification) {
      const { writeArchive } = await import('../../../evidence/seal/archive.ts');
      await writeArchive(staging);
    }
    return { folder: await folder.commit(), isComplete };
  } catch (error) {
    host.warn(`the report could not be written: ${describeFileError(error)}`);
    return null;
  }
}

async function addJobSummary(results: Results, host: Host): Promise<void> {
  const file = host.env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  try {
    await appendFile(file, await render(withoutEvidence(results, catalogue), 'markdown'));
  } catch (error) {
    host.warn(`the job summary could not be written: ${describeFileError(error)}`);
  }
}
