import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../core/results.ts';
import { MANIFEST, readManifest } from '../evidence/seal/manifest.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import type { EvidenceViews, ReportData } from '../report/data.ts';
import { PROOF, type Proof, proofAtHand, proofIn, summaryOf } from './proof.ts';

/** Name of the evidence in a run's folder. */
const EVIDENCE = 'evidence.ndjson.gz';

/**
 * Gathers what reports are made of: the results, the evidence in the run's folder, and the proof of the harness
 * where one is at hand (`known`, or else it is looked for). Evidence that cannot be read costs the pictures and the excerpts, not the report.
 */
export async function gatherReportData(
  results: Results,
  folder: string,
  complain: (sentence: string) => void,
  known?: Proof | null,
): Promise<ReportData> {
  const file = path.join(folder, EVIDENCE);
  const { readEvidence } = await import('../evidence/reader.ts');
  const proof = known === undefined ? await proofOf(folder) : known;
  return {
    results,
    evidence: await evidenceIn(folder, results, complain),
    prove: proof === null ? null : summaryOf(proof.results),
    ...(existsSync(file) ? { exchanges: () => readEvidence(file) } : {}),
  };
}

async function evidenceIn(
  folder: string,
  results: Results,
  complain: (sentence: string) => void,
): Promise<EvidenceViews> {
  const file = path.join(folder, EVIDENCE);
  if (!existsSync(file)) return new Map();
  const { readEvidence } = await import('../evidence/reader.ts');
  const { bodiesShown, gatherEvidence } = await import('../report/evidence/gather.ts');
  try {
    return await gatherEvidence(results, readEvidence(file, bodiesShown(results)));
  } catch (error) {
    complain(
      `the report is made without evidence: ${error instanceof Error ? error.message : String(error)}`,
    );
    return new Map();
  }
}

// What lies beside a run was said of the Assay that judged it; what is at hand is said of this one.
async function proofOf(folder: string): Promise<Proof | null> {
  const beside = await proofIn(path.join(folder, PROOF));
  return beside ?? ((await isOwnRun(folder)) ? proofAtHand() : null);
}

async function isOwnRun(folder: string): Promise<boolean> {
  try {
    const manifest = readManifest(await readFile(path.join(folder, MANIFEST), 'utf8'));
    return manifest.tool.package === (await packageDigest());
  } catch {
    return false;
  }
}
