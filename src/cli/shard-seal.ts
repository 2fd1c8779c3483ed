import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../core/results.ts';
import { disagreements } from '../evidence/seal/agreement.ts';
import { digestOf, type Manifest } from '../evidence/seal/manifest.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import { isRegular, isThere } from '../evidence/seal/regular-file.ts';
import { readSeal } from '../evidence/seal/verify.ts';
import { BLOB } from '../report/run-folder.ts';
import { visible } from '../report/safe-text.ts';
import { RecordedRun } from '../run/recorded-run.ts';
import { runDifferences } from '../run/run-differences.ts';
import { EVIDENCE } from './merge-pieces.ts';
import { UsageError } from './usage-error.ts';

const RESULTS = 'results.json';

/** A shard as it lies in its folder. */
export interface ShardFolder {
  readonly folder: string;
  readonly results: Results;
}

/**
 * Holds what a shard left to its manifest, the manifest to its signature, and its results to its evidence, so that
 * neither an upload cut off nor a forged shard is sealed into the whole.
 *
 * @param key whose signature the whole will bear, and the shard has to bear; null where the whole is not signed
 * @returns the SHA-256 over the files of the Assay that made it
 * @throws UsageError where anything does not fit; EvidenceError where evidence cannot be read
 */
async function expectSealed(
  { folder, results }: ShardFolder,
  key: KeyObject | null,
): Promise<{ readonly build: string }> {
  const manifest = await manifestIn(folder, key);
  for (const name of [RESULTS, EVIDENCE, BLOB]) await expectUnchanged(folder, name, manifest);
  const [found] = disagreements(manifest, await readFile(path.join(folder, RESULTS), 'utf8'));
  if (found !== undefined) throw new UsageError(`${folder} cannot be merged: ${found}`);
  await expectRecorded(folder, results, key !== null);
  return { build: manifest.tool.package };
}

/**
 * Holds every shard to its seal, and expects that one build of Assay made them all: the one that merges them, where it
 * vouches for them with a signature or a certificate.
 *
 * @throws as `expectSealed`
 */
export async function expectShards(
  shards: readonly ShardFolder[],
  { key, vouches }: { readonly key: KeyObject | null; readonly vouches: boolean },
): Promise<void> {
  let build = vouches ? packageDigest() : null;
  for (const shard of shards) {
    const made = await expectSealed(shard, key);
    build ??= made.build;
    if (made.build === build) continue;
    const than = vouches ? 'the one that merges, which cannot vouch for it' : 'the others';
    throw new UsageError(`${shard.folder} was made by another build of Assay than ${than}`);
  }
}

async function manifestIn(folder: string, key: KeyObject | null): Promise<Manifest> {
  const { manifest, problems } = await readSeal(folder, key);
  const [problem] = problems;
  if (manifest !== null && problem === undefined) return manifest;
  const rule = key === null ? '' : '; a whole is signed with the key that signed all of its shards';
  throw new UsageError(`${folder} cannot be merged: ${problem}${rule}`);
}

// A file that is missing is another matter.
async function expectUnchanged(folder: string, name: string, { files }: Manifest): Promise<void> {
  const file = path.join(folder, name);
  if (!isThere(file)) return;
  if (!isRegular(file)) throw new UsageError(`${file} is no regular file`);
  const sealed = Object.hasOwn(files, name) ? files[name] : undefined;
  if (sealed?.sha256 !== (await digestOf(file)).sha256)
    throw new UsageError(`${file} was changed after its shard had left it`);
}

/** Expects of results what a replay would notice at once. A whole that is signed has the evidence of every shard. */
async function expectRecorded(folder: string, results: Results, needed: boolean): Promise<void> {
  const evidence = path.join(folder, EVIDENCE);
  if (!existsSync(evidence)) {
    if (needed && results.targets.length > 0)
      throw new UsageError(`${folder} cannot be merged into a whole that is signed: ${EVIDENCE} is missing`);
    return;
  }
  const recorded = await RecordedRun.open(evidence);
  const untold = results.targets.find(({ name }) => !recorded.settings.has(name));
  if (untold !== undefined)
    throw new UsageError(`${evidence} does not tell what ${visible(untold.name)} was judged with`);
  const [found] = [...runDifferences(results, recorded), ...recorded.faults];
  if (found === undefined) return;
  const what = [found.target, found.of, found.field].filter((part) => part !== null).join(', ');
  throw new UsageError(
    `${folder} cannot be merged: its results and its evidence differ in ${what} (assay replay says how)`,
  );
}
