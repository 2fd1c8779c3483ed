import { createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import type { Results } from '../core/results.ts';
import { keyIdOf } from '../evidence/seal/keys.ts';
import { digestOf } from '../evidence/seal/manifest.ts';
import { type SigningKey, settingsIn } from '../evidence/seal/seal-run.ts';
import { FormatError } from '../report/format-error.ts';
import type { Host } from './host.ts';
import { PROOF, type Proof, summaryOf } from './proof.ts';

/**
 * Writes what a certification files beside the report: certificate.html and .pdf, targets.json, and the proof of the
 * harness. Without a browser there is no PDF, and a sentence instead.
 */
export async function writeCertification(
  results: Results,
  proof: Proof | null,
  folder: string,
  key: SigningKey | null,
  { env, complain }: { readonly env: Host['env']; readonly complain: (sentence: string) => void },
): Promise<void> {
  if (proof === null)
    complain(
      'no proof of this build of Assay is at hand to file with the certificate; assay prove makes one',
    );
  else await writeProof(proof, folder);
  await writeFile(path.join(folder, 'targets.json'), await targetsText(results, folder));
  const { renderCertificate } = await import('../report/formats/certificate.tsx');
  const facts = {
    digest: (await digestOf(path.join(folder, 'results.json'))).sha256,
    keyId: key === null ? null : keyIdOf(createPublicKey(key)),
    prove: proof === null ? null : summaryOf(proof.results),
  };
  const page = path.join(folder, 'certificate.html');
  await writeFile(page, renderCertificate(results, facts));
  const { writePdf } = await import('../report/formats/pdf.ts');
  await writePdf(page, path.join(folder, 'certificate.pdf'), env).catch((error: unknown) => {
    if (!(error instanceof FormatError)) throw error;
    complain(`certificate.pdf is left out: ${error.message}`);
  });
}

/** Writes submission.zip over everything that a sealed run holds. */
export async function writeSubmission(folder: string): Promise<void> {
  const { writeArchive } = await import('../evidence/seal/archive.ts');
  await writeArchive(folder);
}

async function writeProof(proof: Proof, folder: string): Promise<void> {
  const { renderProveHtml } = await import('../report/formats/prove-html.tsx');
  await writeFile(path.join(folder, PROOF), proof.text);
  await writeFile(path.join(folder, 'prove.html'), renderProveHtml(proof.results));
}

async function targetsText(results: Results, folder: string): Promise<string> {
  const settings = await settingsIn(folder, results.targets.length);
  const targets = [...settings.values()].map(({ target }) => target);
  return `${jsonText({ format: 'assay-targets/1', targets })}\n`;
}
