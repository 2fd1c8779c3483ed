import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import type { Results } from '../../core/results.ts';
import { render } from '../../report/folder/report-writer.ts';
import { FORMATS, fileOf, TEXT_FORMATS } from '../../report/formats/table.ts';
import type { Say } from '../command.ts';
import { certificateText, proofPageText, targetsText } from '../shared/run-files/certification-files.ts';
import { type Proof, proofIn, proofOfBuild, proofSummary } from '../shared/run-files/proof.ts';
import { gatherReportData } from '../shared/run-files/report-data.ts';

export interface RenderedFiles {
  /** Files that are identical to the output of this build. */
  readonly same: readonly string[];
  readonly different: readonly string[];
  /** Files with random numbers, or written by a browser. */
  readonly uncompared: readonly string[];
}

/**
 * Renders the reports and the certificate of a run again and compares them with the files: without a
 * signature, a report and its digest could be changed together.
 *
 * @param signer id of the key that signed the run; null if it is not signed
 */
export async function compareRendered(
  results: Results,
  folder: string,
  signer: string | null,
  warn: Say,
): Promise<RenderedFiles> {
  const exists = (file: string): boolean => existsSync(path.join(folder, file));
  const proofs = await proofsFor(folder, warn);
  const formats = TEXT_FORMATS.filter((format) => exists(fileOf(format)));
  const data = await gatherReportData(results, folder, { formats, warn, proof: null });
  const same: string[] = [];
  const different: string[] = [];
  const compare = async (
    file: string,
    renderWith: (proof: Proof | null) => Promise<string>,
  ): Promise<void> => {
    const text = await readFile(path.join(folder, file), 'utf8');
    for (const proof of proofs) if ((await renderWith(proof)) === text) return void same.push(file);
    different.push(file);
  };
  for (const format of formats)
    await compare(fileOf(format), (proof) => render({ ...data, prove: proofSummary(proof) }, format));
  if (exists(FILE_NAMES.certificate))
    await compare(FILE_NAMES.certificate, (proof) => certificateText(results, folder, proof, signer));
  if (exists(FILE_NAMES.targets)) await compare(FILE_NAMES.targets, () => targetsText(results, folder));
  if (exists(FILE_NAMES.proofPage))
    await compare(FILE_NAMES.proofPage, async (proof) => (proof === null ? '' : await proofPageText(proof)));
  const others = FORMATS.filter((format) => !TEXT_FORMATS.some((text) => text === format)).map(fileOf);
  return { same, different, uncompared: [...others, FILE_NAMES.certificatePdf].filter(exists) };
}

/** The proofs that a report of the run may contain: the one in its folder, that of this build, or none. */
async function proofsFor(folder: string, warn: Say): Promise<readonly (Proof | null)[]> {
  const own = await proofIn(path.join(folder, FILE_NAMES.proof), warn);
  const known = [own, await proofOfBuild(warn)].filter((proof) => proof !== null);
  return [...known, null];
}
