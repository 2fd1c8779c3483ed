import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageFile } from '../../core/package-file.ts';
import type { ProveResults } from '../../core/prove-results.ts';
import { shippedValidator } from '../../core/schemas/shipped.ts';
import { packageDigest } from '../../evidence/seal/package-digest.ts';
import type { ProveSummary } from '../../report/report-data.ts';
import { PROVE_FILES, REPORTS } from '../../report/run-folder.ts';

/** The results of `assay prove`. */
export interface Proof {
  /** The text of prove.json. */
  readonly text: string;
  readonly results: ProveResults;
}

/** File name of a proof. */
export const PROOF = PROVE_FILES.main;

/**
 * The proof of this build: the compressed one in the package, or else the newest in reports/. Null if there is none; a proof
 * of another build says nothing about this one.
 *
 * @param warn called with a sentence about an invalid proof of this build
 */
export async function proofOfBuild(warn: (sentence: string) => void): Promise<Proof | null> {
  const places = [packageFile(`${PROOF}.gz`), ...proofsBelow(REPORTS)].filter((place) => existsSync(place));
  if (places.length === 0) return null;
  const digest = packageDigest();
  for (const place of places) {
    const proof = await proofIn(place, warn, digest);
    if (proof !== null) return proof;
  }
  return null;
}

/**
 * Reads a proof from a file; null unless it is complete and covers all defects. Its schema and its totals are validated,
 * because the file may come from anyone.
 *
 * @param build digest of the required build; null for any
 */
export async function proofIn(
  place: string,
  warn: (sentence: string) => void,
  build: string | null = null,
): Promise<Proof | null> {
  const text = await textIn(place);
  const claimed = text === null ? null : parsed(text);
  if (text === null || claimed === null || (build !== null && claimed.tool?.package !== build)) return null;
  const fault = await faultOf(claimed);
  if (fault !== null) {
    warn(`${place} is ignored, because it is not a valid proof: ${fault}`);
    return null;
  }
  const results = claimed as ProveResults;
  const whole = results.run.complete && results.run.only.length === 0 && results.defects.length > 0;
  return whole ? { text, results } : null;
}

/** The text of a proof; null if it cannot be read. */
async function textIn(place: string): Promise<string | null> {
  try {
    const bytes = await readFile(place);
    return (place.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch {
    return null;
  }
}

/** A proof that is not validated yet. */
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
    return `${problem?.instancePath || 'the document'} ${problem?.message ?? 'is invalid'}`;
  }
  const { findContradiction } = await import('../../prove/proof-consistency.ts');
  return findContradiction(claimed as ProveResults);
}

/** A proof as four numbers. */
export function summaryOf({ totals }: ProveResults): ProveSummary {
  const { defects, variants } = totals;
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
    .map((run) => path.join(folder, run, PROOF));
}
