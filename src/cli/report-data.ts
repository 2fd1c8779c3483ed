import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../core/package-file.ts';
import type { ProveResults } from '../core/prove.ts';
import type { Results } from '../core/results.ts';
import type { EvidenceViews, ProveSummary, ReportData } from '../report/data.ts';

/** Name of the evidence in a run's folder. */
const EVIDENCE = 'evidence.ndjson.gz';

/**
 * Gathers what reports are made of: the results, the evidence in the run's folder, and the proof of the harness
 * that ships with it. Evidence that cannot be read costs the pictures and the excerpts, not the report.
 */
export async function gatherReportData(
  results: Results,
  folder: string,
  complain: (sentence: string) => void,
): Promise<ReportData> {
  const file = path.join(folder, EVIDENCE);
  const { readEvidence } = await import('../evidence/reader.ts');
  return {
    results,
    evidence: await evidenceIn(folder, results, complain),
    prove: proveSummary(),
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
  const { gatherEvidence } = await import('../report/evidence/gather.ts');
  try {
    return await gatherEvidence(results, readEvidence(file));
  } catch (error) {
    complain(
      `the report is made without evidence: ${error instanceof Error ? error.message : String(error)}`,
    );
    return new Map();
  }
}

/** What `assay prove` said of this Assay, where its prove.json ships with it; null where none does. */
function proveSummary(): ProveSummary | null {
  try {
    const read = JSON.parse(readFileSync(packageFile('prove.json'), 'utf8')) as Partial<ProveResults>;
    // A proof of a part, or one that was stopped, says nothing about the whole.
    if (read.run?.complete !== true || read.run.only.length > 0 || read.totals === undefined) return null;
    const { defects, variants } = read.totals;
    return {
      defects: defects.total,
      found: defects.killed,
      variants: variants.total,
      false: defects.false + variants.accused,
    };
  } catch {
    return null;
  }
}
