import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageFile } from '../core/package-file.ts';
import type { ProveResults } from '../core/prove-results.ts';
import { shippedValidator } from '../core/schemas/shipped.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import type { ProveSummary } from '../report/report-data.ts';
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
 *
 * @param complain told, in one sentence, of a proof that claims to be of this build and is none
 */
export async function proofAtHand(complain: (sentence: string) => void): Promise<Proof | null> {
  const places = [packageFile(`${PROOF}.gz`), ...proofsBelow(REPORTS)].filter((place) => existsSync(place));
  if (places.length === 0) return null;
  const digest = packageDigest();
  for (const place of places) {
    const proof = await proofIn(place, complain, digest);
    if (proof !== null) return proof;
  }
  return null;
}

/**
 * The proof in a file, where it is one of everything and was carried through; null otherwise. Anybody may have left it
 * there, so it is held to its schema and its totals to its rows.
 *
 * @param build of which Assay it has to be; null for any
 */
export async function proofIn(
  place: string,
  complain: (sentence: string) => void,
  build: string | null = null,
): Promise<Proof | null> {
  const text = await textIn(place);
  const claimed = text === null ? null : parsed(text);
  if (text === null || claimed === null || (build !== null && claimed.tool?.package !== build)) return null;
  const fault = await faultOf(claimed);
  if (fault !== null) {
    complain(`${place} is left aside, since it is no proof: ${fault}`);
    return null;
  }
  const results = claimed as ProveResults;
  const whole = results.run.complete && results.run.only.length === 0 && results.defects.length > 0;
  return whole ? { text, results } : null;
}

/** Text of a proof; null where it cannot be read. */
async function textIn(place: string): Promise<string | null> {
  try {
    const bytes = await readFile(place);
    return (place.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch {
    return null;
  }
}

/** What claims to be a proof. */
type Claimed = { readonly tool?: { readonly package?: unknown } | null };

function parsed(text: string): Claimed | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

async function faultOf(claimed: Claimed): Promise<string | null> {
  const matches = shippedValidator('prove');
  if (!matches(claimed)) {
    const [problem] = matches.errors ?? [];
    return `${problem?.instancePath || 'its top'} ${problem?.message ?? 'is not as it should be'}`;
  }
  const { findContradiction: contradictionIn } = await import('../prove/proof-consistency.ts');
  return contradictionIn(claimed as ProveResults);
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
