import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Conclusion, type Tolerance, withAllowance } from '../../core/conclusion.ts';
import { FILE_NAMES } from '../../core/file-names.ts';
import { packageDigest } from '../../core/package-file.ts';
import type { Results } from '../../core/results.ts';
import { digestOf, type Manifest } from '../../evidence/seal/manifest.ts';
import { readSigningKey } from '../../evidence/seal/signature.ts';
import { disagreements, isRegular, isThere, readSeal } from '../../evidence/seal/verify.ts';
import { RunFolder } from '../../report/folder/run-folder.ts';
import { FORMATS } from '../../report/formats/table.ts';
import { enumeration, visible } from '../../report/wording/phrases.ts';
import { joinEvidence, mergeShards } from '../../run/merge.ts';
import { runDifferences } from '../../run/replay/differences.ts';
import { RecordedRun } from '../../run/replay/recorded-run.ts';
import {
  type Arguments,
  EXIT,
  type ExitStatus,
  exitStatusOf,
  type Host,
  statusWithLoss,
  UsageError,
} from '../command.ts';
import { comparedWith } from '../shared/baseline.ts';
import { commandLine, flag, manyOf, positionals, readTolerance, text } from '../shared/options.ts';
import { readRun, resultsFile, runNamesIn } from '../shared/run-files/results-file.ts';
import { openFolder, publishRun } from '../shared/run-files/run-output.ts';

/** The report, the evidence and the exit status are those of one process that tests all targets. */
export async function performMerge(
  args: Arguments,
  host: Host,
  words: readonly string[],
): Promise<ExitStatus> {
  const options = {
    formats: manyOf(args, 'format', FORMATS),
    quiet: flag(args, 'quiet'),
    json: flag(args, 'json'),
    key: readSigningKey(text(args, 'sign'), host.env),
    index: null,
  };
  const given = text(args, 'baseline');
  const baseline = given === null ? null : (await readRun(given)).results;
  const found = await Promise.all(positionals(args, 'run').map(shardsAt));
  const read = await Promise.all(found.flat().map(readRun));
  const out = text(args, 'out');
  if (out !== null && read.some((shard) => path.resolve(shard.folder) === path.resolve(out)))
    throw new UsageError(`--out ${out} is one of the shards; choose another folder`);
  const id = RunFolder.newId();
  const { results, missing } = mergeShards(
    read.map((shard) => shard.results),
    { id, command: commandLine(['assay', ...words]) },
  );
  await expectShards(read, {
    key: options.key === null ? null : createPublicKey(options.key),
    needsThisBuild: options.key !== null || results.run.suite === 'certify',
  });
  // Evidence is in the order of the results, not of the arguments; a shard without targets has none.
  const shards = read.toSorted(
    (one, other) => (one.results.run.shard?.index ?? 0) - (other.results.run.shard?.index ?? 0),
  );
  if (missing.length > 0) host.warn(missingSentence(missing));
  const folder = openFolder(id, out);
  try {
    const files = shards
      .filter((shard) => shard.results.targets.length > 0)
      .map((shard) => path.join(shard.folder, FILE_NAMES.evidence));
    const absent = files.find((file) => !existsSync(file));
    // Nothing is written if a file is missing, because partial evidence would look complete.
    if (absent !== undefined) host.warn(`the merged run has no evidence, because ${absent} is missing`);
    else if (files.length > 0) await joinEvidence(files, path.join(folder.staging, FILE_NAMES.evidence));
    const tolerance = readTolerance(args, results.run.suite);
    const compared = comparedWith(results, baseline);
    const { remaining, conclusion, words: ofBaseline, isOutdated } = compared;
    const shown = withAllowance(compared.results, conclusion, tolerance);
    const isPublished = await publishRun({ ...options, results: shown, remaining, folder }, host);
    (options.json ? host.err : host.out).write(ofBaseline);
    const judged = isOutdated ? EXIT.failed : statusOf(conclusion, results.run.complete, tolerance);
    return statusWithLoss(judged, missing.length > 0 || !isPublished);
  } finally {
    folder.discard();
  }
}

function statusOf(conclusion: Conclusion, complete: boolean, tolerance: Tolerance): ExitStatus {
  const status = exitStatusOf(conclusion, tolerance);
  const decided = status === EXIT.failed || status === EXIT.notCarriedOut;
  return decided || complete ? status : EXIT.interrupted;
}

function missingSentence(missing: readonly string[]): string {
  const what = missing.length === 1 ? `shard ${missing[0]} is` : `shards ${enumeration(missing)} are`;
  return `${what} missing, so the merged run is incomplete`;
}

interface ShardFolder {
  readonly folder: string;
  readonly results: Results;
}

/**
 * Checks a shard against its manifest, the manifest against its signature, and the results against the evidence, so
 * that no truncated upload or forged shard becomes part of the merged run. Returns the digest of the Assay build that
 * wrote the shard. Throws UsageError if anything differs; EvidenceError if the evidence cannot be read.
 *
 * @param key the key that must have signed the shard and will sign the merged run; null if the merged run is not
 * signed
 */
async function expectSealed({ folder, results }: ShardFolder, key: KeyObject | null): Promise<string> {
  const manifest = await manifestIn(folder, key);
  for (const name of [FILE_NAMES.results, FILE_NAMES.evidence]) await expectUnchanged(folder, name, manifest);
  const [found] = disagreements(manifest, await readFile(path.join(folder, FILE_NAMES.results), 'utf8'));
  if (found !== undefined) throw new UsageError(`${folder} cannot be merged: ${found}`);
  await expectRecorded(folder, results, key !== null);
  return manifest.tool.package;
}

/**
 * Checks the seal of every shard, and that the same build of Assay wrote all of them. If the merged run has a
 * signature or a certificate, that build must be this one. Throws errors of `expectSealed`.
 */
async function expectShards(
  shards: readonly ShardFolder[],
  { key, needsThisBuild }: { readonly key: KeyObject | null; readonly needsThisBuild: boolean },
): Promise<void> {
  let build = needsThisBuild ? packageDigest() : null;
  for (const shard of shards) {
    const own = await expectSealed(shard, key);
    build ??= own;
    if (own === build) continue;
    const expected = needsThisBuild ? 'the one that merges and signs or certifies' : 'the others';
    throw new UsageError(
      `${shard.folder} was made by another build of Assay than ${expected}; use one build`,
    );
  }
}

async function manifestIn(folder: string, key: KeyObject | null): Promise<Manifest> {
  const { manifest, problems, keyProblem } = await readSeal(folder, key);
  const problem = keyProblem ?? problems[0];
  if (manifest !== null && problem === undefined) return manifest;
  const rule = key === null ? '' : '; a merged run is signed with the key that signed all of its shards';
  throw new UsageError(`${folder} cannot be merged: ${problem}${rule}`);
}

// A missing file is reported elsewhere.
async function expectUnchanged(folder: string, name: string, { files }: Manifest): Promise<void> {
  const file = path.join(folder, name);
  if (!isThere(file)) return;
  if (!isRegular(file)) throw new UsageError(`${file} is not a regular file`);
  const sealed = Object.hasOwn(files, name) ? files[name] : undefined;
  if (sealed?.sha256 !== (await digestOf(file)).sha256)
    throw new UsageError(`${file} was changed after the shard was written; run the shard again`);
}

/** Compares results with evidence. A signed merged run needs the evidence of every shard. */
async function expectRecorded(folder: string, results: Results, needed: boolean): Promise<void> {
  const evidence = path.join(folder, FILE_NAMES.evidence);
  if (!existsSync(evidence)) {
    if (needed && results.targets.length > 0)
      throw new UsageError(`${folder} cannot be merged into a signed run: ${FILE_NAMES.evidence} is missing`);
    return;
  }
  const recorded = await RecordedRun.open(evidence);
  const unknown = results.targets.find(({ name }) => !recorded.settings.has(name));
  if (unknown !== undefined)
    throw new UsageError(`${evidence} does not contain the settings of ${visible(unknown.name)}`);
  const [found] = [...runDifferences(results, recorded), ...recorded.faults];
  if (found === undefined) return;
  const what = [found.target, found.of, found.field].filter((part) => part !== null).join(', ');
  throw new UsageError(
    `${folder} cannot be merged: its results and its evidence differ in ${what} (assay replay shows how)`,
  );
}

/** The shard in a folder, or those in the folders inside it. */
async function shardsAt(given: string): Promise<readonly string[]> {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
  const holdsRuns = isFolder && !existsSync(path.join(given, FILE_NAMES.results));
  const inside = holdsRuns ? runNamesIn(given) : [];
  if (inside.length === 0) return [await resultsFile(given)];
  return inside.map((name) => path.join(given, name, FILE_NAMES.results));
}
