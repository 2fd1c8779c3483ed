import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../core/results.ts';
import { FORMATS, fileOf, TEXT_FORMATS } from '../report/formats/table.ts';
import type { ReportData } from '../report/report-data.ts';
import { render } from '../report/write.ts';
import { PROOF, type Proof, proofAtHand, proofIn, summaryOf } from './proof.ts';
import { gatherReportData } from './report-data.ts';
import {
  CERTIFICATE,
  CERTIFICATE_PDF,
  certificateText,
  PROOF_PAGE,
  proofPageText,
  TARGETS,
  targetsText,
} from './submission.ts';

/** What rendering the files of a run again came to. */
export interface RenderedFiles {
  /** Files that are what this build renders from the results and the evidence. */
  readonly same: readonly string[];
  readonly different: readonly string[];
  /** Files that hold numbers drawn at random, or that a browser made. */
  readonly uncompared: readonly string[];
}

/**
 * Renders the reports and the certificate in a run's folder again, and compares them with the files. A manifest without
 * a signature does not keep anybody from changing a report and its digest together.
 *
 * @param signer id of the key that signed the run; null where none did
 */
export async function compareRendered(
  results: Results,
  folder: string,
  signer: string | null,
  complain: (sentence: string) => void,
): Promise<RenderedFiles> {
  const isThere = (file: string): boolean => existsSync(path.join(folder, file));
  const proofs = await proofsFor(folder, complain);
  const formats = TEXT_FORMATS.filter((format) => isThere(fileOf(format)));
  const data = await gatherReportData(results, folder, formats, complain, { proof: null });
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
    await compare(fileOf(format), (proof) => render(withProof(data, proof), format));
  if (isThere(CERTIFICATE))
    await compare(CERTIFICATE, (proof) => certificateText(results, folder, proof, signer));
  if (isThere(TARGETS)) await compare(TARGETS, () => targetsText(results, folder));
  if (isThere(PROOF_PAGE))
    await compare(PROOF_PAGE, async (proof) => (proof === null ? '' : await proofPageText(proof)));
  const others = FORMATS.filter((format) => !TEXT_FORMATS.some((text) => text === format)).map(fileOf);
  return { same, different, uncompared: [...others, CERTIFICATE_PDF].filter(isThere) };
}

/** The proofs that a report of the run may show: none, the one beside it, the one of this build. */
async function proofsFor(
  folder: string,
  complain: (sentence: string) => void,
): Promise<readonly (Proof | null)[]> {
  const beside = await proofIn(path.join(folder, PROOF), complain);
  return [beside, await proofAtHand(complain), null].filter(
    (proof, index, all) => proof !== null || index === all.length - 1,
  );
}

function withProof(data: ReportData, proof: Proof | null): ReportData {
  return { ...data, prove: proof === null ? null : summaryOf(proof.results) };
}
