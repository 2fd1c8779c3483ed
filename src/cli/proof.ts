import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageFile } from '../core/package-file.ts';
import type { ProveResults } from '../core/prove.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import type { ProveSummary } from '../report/data.ts';
import { PROVE_FILES, REPORTS } from '../report/run-folder.ts';

/** What `assay prove` said of this Assay. */
export interface Proof {
  /** prove.json, as it was written. */
  readonly text: string;
  readonly results: ProveResults;
}

/** Name of a proof, wherever it lies. */
export const PROOF = PROVE_FILES.main;

/**
 * The proof of this very build: the one that ships with it, compressed, or else the newest below reports/. Null where neither is
 * one, since what was proven of other code says nothing of this.
 */
export async function proofAtHand(): Promise<Proof | null> {
  const places = [packageFile(`${PROOF}.gz`), ...proofsBelow(REPORTS)].filter((place) => existsSync(place));
  if (places.length === 0) return null;
  const digest = await packageDigest();
  for (const place of places) {
    const proof = await proofIn(place);
    if (proof?.results.tool.package === digest) return proof;
  }
  return null;
}

/** The proof in a file, where it is one of everything and was carried through; null otherwise. */
export async function proofIn(place: string): Promise<Proof | null> {
  try {
    const bytes = await readFile(place);
    const text = (place.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    const results = JSON.parse(text) as ProveResults;
    const whole = results.run.complete && results.run.only.length === 0 && results.defects.length > 0;
    return whole ? { text, results } : null;
  } catch {
    return null;
  }
}

/** A proof in four numbers. */
export function summaryOf({ totals }: ProveResults): ProveSummary {
  const { defects, variants } = totals;
  return {
    defects: defects.total,
    found: defects.killed,
    variants: variants.total,
    false: defects.false + variants.accused,
  };
}

// Run ids sort by time.
function proofsBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .reverse()
    .map((run) => path.join(folder, run, PROOF));
}
