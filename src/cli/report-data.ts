import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '../../specs/catalogue.ts';
import type { Results } from '../core/results.ts';
import { MANIFEST, readManifest } from '../evidence/seal/manifest.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import type { Gathering } from '../report/evidence/exchange-views.ts';
import { type Format, formatEntry } from '../report/formats/table.ts';
import type { EvidenceViews, ReportData } from '../report/report-data.ts';
import { detailedTargets } from '../report/target-selection.ts';
import { PROOF, type Proof, proofAtHand, proofIn, summaryOf } from './proof.ts';

/** Name of the evidence in a run's folder. */
const EVIDENCE = 'evidence.ndjson.gz';

/** What whoever makes a report may know already. */
export interface Known {
  /** The proof of the harness, null where there is none; looked for where left out. */
  readonly proof?: Proof | null;
  /** What was gathered of the evidence while it was recorded; read from the folder where left out. */
  readonly gathering?: Gathering | null;
}

/**
 * Gathers what reports are made of: the results, the evidence in the run's folder, and the proof of the harness
 * where one is at hand. Evidence that cannot be read costs the charts and the excerpts, not the report; what none of
 * the formats shows is not read.
 */
export async function gatherReportData(
  results: Results,
  folder: string,
  formats: readonly Format[],
  complain: (sentence: string) => void,
  known: Known = {},
): Promise<ReportData> {
  const file = path.join(folder, EVIDENCE);
  const { readEvidence } = await import('../evidence/reader.ts');
  const proof = known.proof === undefined ? await proofOf(folder, complain) : known.proof;
  const whole = formats.some((format) => formatEntry(format).needsAllEvidence === true);
  const shown = whole ? results : { ...results, targets: detailedTargets(results) };
  const evidence = (): Promise<EvidenceViews> => evidenceIn(folder, shown, known.gathering ?? null, complain);
  return {
    results,
    catalogue,
    evidence: shown.targets.length === 0 ? new Map() : await evidence(),
    prove: proof === null ? null : summaryOf(proof.results),
    ...(existsSync(file) ? { exchanges: () => entriesOf(readEvidence(file), results) } : {}),
  };
}

/** Entries of the targets in the results, which may be some of the run's. */
async function* entriesOf<Entry extends { readonly target: string }>(
  entries: AsyncIterable<Entry>,
  { targets }: Results,
): AsyncGenerator<Entry> {
  const names = new Set(targets.map(({ name }) => name));
  for await (const entry of entries) if (names.has(entry.target)) yield entry;
}

async function evidenceIn(
  folder: string,
  results: Results,
  gathering: Gathering | null,
  complain: (sentence: string) => void,
): Promise<EvidenceViews> {
  const file = path.join(folder, EVIDENCE);
  if (!existsSync(file)) return new Map();
  const { readEvidence } = await import('../evidence/reader.ts');
  const { bodiesShown, gatherEvidence } = await import('../report/evidence/exchange-views.ts');
  try {
    if (gathering !== null) return await gathering.views(results, (looksAt) => readEvidence(file, looksAt));
    const names = new Set(results.targets.map(({ name }) => name));
    const shown = bodiesShown(results);
    const entries = readEvidence(file, (target, number) => names.has(target) && shown(target, number));
    return await gatherEvidence(results, entriesOf(entries, results));
  } catch (error) {
    complain(
      `the report is made without evidence: ${error instanceof Error ? error.message : String(error)}`,
    );
    return new Map();
  }
}

// What lies beside a run was said of the Assay that judged it; what is at hand is said of this one.
async function proofOf(folder: string, complain: (sentence: string) => void): Promise<Proof | null> {
  const beside = await proofIn(path.join(folder, PROOF), complain);
  return beside ?? ((await isOwnRun(folder)) ? proofAtHand(complain) : null);
}

async function isOwnRun(folder: string): Promise<boolean> {
  try {
    const manifest = readManifest(await readFile(path.join(folder, MANIFEST), 'utf8'));
    return manifest.tool.package === packageDigest();
  } catch {
    return false;
  }
}
