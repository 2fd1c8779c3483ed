import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '../../../../specs/catalogue.ts';
import { FILE_NAMES } from '../../../core/file-names.ts';
import { packageDigest } from '../../../core/package-file.ts';
import type { Results } from '../../../core/results.ts';
import { describeFileError } from '../../../core/system-error.ts';
import type { EvidenceIndex } from '../../../evidence/line.ts';
import { indexEvidence, readEvidence } from '../../../evidence/reader.ts';
import { readManifest } from '../../../evidence/seal/manifest.ts';
import { bodiesShown, gatherEvidence } from '../../../report/evidence/exchange-views.ts';
import { detailedTargets, isOverview } from '../../../report/findings.ts';
import { type Format, formatEntry } from '../../../report/formats/table.ts';
import type { EvidenceViews, ReportData } from '../../../report/report-data.ts';
import type { Say } from '../../command.ts';
import { type Proof, proofIn, proofOfBuild, proofSummary } from './proof.ts';

/** What to collect, and what the caller already has; the rest is read. */
interface GatherOptions {
  readonly formats: readonly Format[];
  readonly warn: Say;
  /** The proof of this build; null for none. Searched for if absent. */
  readonly proof?: Proof | null;
  /** Index of the evidence in the folder; read from it if there is none. */
  readonly index?: EvidenceIndex | null;
}

/**
 * Collects the data for reports: the results, the evidence in the run's folder, and the proof of the build if
 * there is one. If the evidence cannot be read, the report has no charts or excerpts. Evidence that no format
 * shows is not read.
 */
export async function gatherReportData(
  results: Results,
  folder: string,
  { formats, warn, proof: known, index: written }: GatherOptions,
): Promise<ReportData> {
  const file = path.join(folder, FILE_NAMES.evidence);
  const proof = known === undefined ? await proofOf(folder, warn) : known;
  const needsAll = formats.some((format) => formatEntry(format).needsAllEvidence === true);
  const shown = needsAll ? results : { ...results, targets: detailedTargets(results) };
  const showsUses = !isOverview(results);
  const isShown = shown.targets.length > 0 || showsUses;
  const index = written ?? (isShown ? await indexOf(file, warn) : null);
  return {
    results,
    catalogue,
    evidence:
      index === null || shown.targets.length === 0 ? new Map() : await viewsOf(shown, file, index, warn),
    prove: proofSummary(proof),
    ...(showsUses ? { uses: index?.uses ?? new Map() } : {}),
    ...(existsSync(file)
      ? { exchanges: () => entriesOf(readEvidence(file, index === null ? {} : { index }), results) }
      : {}),
  };
}

/** The entries of the targets in the results, which may be a subset of the run. */
async function* entriesOf<Entry extends { readonly target: string }>(
  entries: AsyncIterable<Entry>,
  { targets }: Results,
): AsyncGenerator<Entry> {
  const names = new Set(targets.map(({ name }) => name));
  for await (const entry of entries) if (names.has(entry.target)) yield entry;
}

/** Null, after a warning, if there is no evidence that can be read. */
async function indexOf(file: string, warn: Say): Promise<EvidenceIndex | null> {
  if (existsSync(file)) return await orNullWithWarning(indexEvidence(file), warn);
  warn(`the report shows no evidence: ${file} is missing`);
  return null;
}

async function viewsOf(
  results: Results,
  file: string,
  index: EvidenceIndex,
  warn: Say,
): Promise<EvidenceViews> {
  const names = new Set(results.targets.map(({ name }) => name));
  const shown = bodiesShown(results);
  const needsBody = (target: string, number: number): boolean => names.has(target) && shown(target, number);
  const entries = entriesOf(readEvidence(file, { needsBody, index }), results);
  return (await orNullWithWarning(gatherEvidence(results, entries), warn)) ?? new Map();
}

async function orNullWithWarning<Read>(reading: Promise<Read>, warn: Say): Promise<Read | null> {
  try {
    return await reading;
  } catch (error) {
    warn(`the report shows no evidence: ${describeFileError(error)}`);
    return null;
  }
}

// A proof in the folder belongs to the build that made the run. The proof of this build counts only for its own runs.
async function proofOf(folder: string, warn: Say): Promise<Proof | null> {
  const own = await proofIn(path.join(folder, FILE_NAMES.proof), warn);
  return own ?? ((await isOwnRun(folder)) ? proofOfBuild(warn) : null);
}

async function isOwnRun(folder: string): Promise<boolean> {
  try {
    const manifest = readManifest(await readFile(path.join(folder, FILE_NAMES.manifest), 'utf8'));
    return manifest.tool.package === packageDigest();
  } catch {
    return false;
  }
}
