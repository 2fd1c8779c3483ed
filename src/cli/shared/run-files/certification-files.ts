import { createPublicKey, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../../core/file-names.ts';
import { jsonText } from '../../../core/json-text.ts';
import type { Results } from '../../../core/results.ts';
import { digestOf } from '../../../evidence/seal/manifest.ts';
import { settingsIn } from '../../../evidence/seal/seal-run.ts';
import { keyIdOf } from '../../../evidence/seal/signature.ts';
import { FormatError } from '../../../report/report-data.ts';
import type { Host } from '../../command.ts';
import { type Proof, proofSummary } from './proof.ts';

/** Writes certificate.html and .pdf, targets.json, and the proof of this build. Without a browser, warns instead. */
export async function writeCertification(
  results: Results,
  proof: Proof | null,
  folder: string,
  key: KeyObject | null,
  host: Host,
): Promise<void> {
  if (proof === null)
    host.warn(
      'the certificate has no proof of this build of Assay; npm run prove:record makes one in a clone',
    );
  else {
    await writeFile(path.join(folder, FILE_NAMES.proof), proof.text);
    await writeFile(path.join(folder, FILE_NAMES.proofPage), await proofPageText(proof));
  }
  await writeFile(path.join(folder, FILE_NAMES.targets), await targetsText(results, folder));
  const page = path.join(folder, FILE_NAMES.certificate);
  const signer = key === null ? null : keyIdOf(createPublicKey(key));
  await writeFile(page, await certificateText(results, folder, proof, signer));
  const { writePdf } = await import('../../../report/formats/pdf.ts');
  await writePdf(page, path.join(folder, FILE_NAMES.certificatePdf), host.env).catch((error: unknown) => {
    if (!(error instanceof FormatError)) throw error;
    host.warn(`certificate.pdf was not written: ${error.message}`);
  });
}

/** Its results.json is in the folder. `signer` is the id of the key that signs it; null without one. */
export async function certificateText(
  results: Results,
  folder: string,
  proof: Proof | null,
  signer: string | null,
): Promise<string> {
  const { renderCertificate } = await import('../../../report/certificate.tsx');
  const facts = {
    digest: (await digestOf(path.join(folder, FILE_NAMES.results))).sha256,
    keyId: signer,
    prove: proofSummary(proof),
  };
  return renderCertificate(results, facts);
}

export async function proofPageText(proof: Proof): Promise<string> {
  const { renderProveHtml } = await import('../../../report/prove/prove-page.tsx');
  return renderProveHtml(proof.results);
}

/** The targets of a run, read from its evidence, without their secrets. */
export async function targetsText(results: Results, folder: string): Promise<string> {
  const settings = await settingsIn(folder, results.targets.length);
  const targets = [...settings.values()].map(({ target }) => target);
  return `${jsonText({ format: 'assay-targets/1', targets })}\n`;
}
