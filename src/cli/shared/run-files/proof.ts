import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FILE_NAMES } from '../../../core/file-names.ts';
import { isJsonObject, parsedJson } from '../../../core/json-text.ts';
import { packageDigest, packageFile } from '../../../core/package-file.ts';
import type { ProveResults } from '../../../core/prove-results.ts';
import { schemaProblem } from '../../../core/schemas/shipped-schema.ts';
import { REPORTS } from '../../../report/folder/run-folder.ts';
import type { ProveSummary } from '../../../report/report-data.ts';
import type { Say } from '../../command.ts';

/** The results of `assay prove`. */
export interface Proof {
  /** The text of prove.json. */
  readonly text: string;
  readonly results: ProveResults;
}

/**
 * The proof of this build: the compressed one in the package, or else the newest in reports/. Null if there
 * is none. Proofs of other builds do not count.
 *
 * @param warn called with a sentence about an invalid proof of this build
 */
export async function proofOfBuild(warn: Say): Promise<Proof | null> {
  const files = [packageFile(`${FILE_NAMES.proof}.gz`), ...proofsBelow(REPORTS)].filter((file) =>
    existsSync(file),
  );
  if (files.length === 0) return null;
  const digest = packageDigest();
  for (const file of files) {
    const proof = await proofIn(file, warn, digest);
    if (proof !== null) return proof;
  }
  return null;
}

/** Null unless the proof is complete, covers all defects and fits its schema; `build` is the required build, if any. */
export async function proofIn(file: string, warn: Say, build: string | null = null): Promise<Proof | null> {
  const text = await textIn(file);
  // Quicker than parsing the proof of another build.
  if (build !== null && !text.includes(build)) return null;
  const proof = parsedJson(text);
  if (!isJsonObject(proof)) return null;
  if (build !== null && (!isJsonObject(proof['tool']) || proof['tool']['package'] !== build)) return null;
  const { findContradiction } = await import('../../../prove/matrix.ts');
  const results = proof as unknown as ProveResults;
  const problem = schemaProblem('prove', results) ?? findContradiction(results);
  if (problem !== null) {
    warn(`${file} is ignored, because it is not a valid proof: ${problem}`);
    return null;
  }
  const isComplete = results.run.complete && results.run.only.length === 0 && results.defects.length > 0;
  return isComplete ? { text, results } : null;
}

async function textIn(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch {
    return '';
  }
}

/** A proof as four numbers; null without one. */
export function proofSummary(proof: Proof | null): ProveSummary | null {
  if (proof === null) return null;
  const { defects, variants } = proof.results.totals;
  return {
    defects: defects.total,
    found: defects.killed,
    variants: variants.total,
    false: defects.false + variants.accused,
  };
}

// Newest first: run ids sort by time.
function proofsBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .reverse()
    .map((run) => path.join(folder, run, FILE_NAMES.proof));
}
