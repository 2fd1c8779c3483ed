import { createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { conclusionOf } from '../core/conclusion.ts';
import type { Results } from '../core/results.ts';
import { joinEvidence } from '../evidence/join.ts';
import { FORMATS } from '../report/formats/table.ts';
import { PLAYWRIGHT_REPORT, RunFolder } from '../report/run-folder.ts';
import { visible } from '../report/safe-text.ts';
import { mergeShards } from '../run/merge.ts';
import { flag, manyOf, text } from './arguments.ts';
import type { Arguments } from './command.ts';
import { commandLine } from './command-line.ts';
import { EXIT, type ExitStatus, exitStatusOf, type Tolerance, withLoss } from './exit-status.ts';
import { readResults } from './finished-run.ts';
import type { Host } from './host.ts';
import { addJobSummary, annotate, keep, openFolder, tell } from './keep-run.ts';
import { EVIDENCE, findPieces } from './merge-pieces.ts';
import { readTolerance } from './run-options.ts';
import { expectShards } from './shard-seal.ts';
import { readSigningKey } from './signing-key.ts';

/**
 * Carries out `assay merge`: the report, the evidence and the exit status that one process would have given.
 *
 * @throws MergeError where the runs are not shards of one
 */
export async function performMerge(
  args: Arguments,
  host: Host,
  words: readonly string[],
): Promise<ExitStatus> {
  const given = args['run'];
  const runs = Array.isArray(given) ? given.map(String) : [];
  const options = {
    formats: manyOf(args, 'format', FORMATS),
    quiet: flag(args, 'quiet'),
    json: flag(args, 'json'),
    key: await readSigningKey(text(args, 'sign'), host.env),
    env: host.env,
  };
  const complain = (sentence: string): void => host.err.write(`assay: ${visible(sentence)}\n`);
  const pieces = await findPieces(runs);
  const read = await Promise.all(
    pieces.runs.map(async (file) => ({ folder: path.dirname(file), results: await readResults(file) })),
  );
  const id = RunFolder.newId();
  const { results, missing } = mergeShards(
    read.map((shard) => shard.results),
    { id, command: commandLine(['assay', ...words]) },
  );
  await expectShards(read, {
    key: options.key === null ? null : createPublicKey(options.key),
    vouches: options.key !== null || results.run.suite === 'certify',
  });
  // Evidence follows the order of the results, whatever the order of the names.
  const shards = read.toSorted(
    (one, other) => (one.results.run.shard?.index ?? 0) - (other.results.run.shard?.index ?? 0),
  );
  if (missing.length > 0) complain(missingWords(missing));
  const folder = openFolder(id, text(args, 'out'));
  try {
    await joinInto(
      path.join(folder.staging, EVIDENCE),
      shards.filter(holdsTargets).map((shard) => path.join(shard.folder, EVIDENCE)),
      complain,
    );
    await addPlaywrightReport(pieces.blobs, folder.staging, host.env, complain);
    const kept = await keep(results, folder, options, complain);
    await addJobSummary(results, host.env, complain);
    tell(results, kept?.folder ?? null, options, host);
    await annotate(results, host, options);
    const judged = statusOf(results, readTolerance(args, results.run.suite));
    return withLoss(judged, missing.length > 0 || kept === null || kept.unmade);
  } finally {
    folder.discard();
  }
}

function statusOf(results: Results, tolerance: Tolerance): ExitStatus {
  const status = exitStatusOf(conclusionOf(results), tolerance);
  const decided = status === EXIT.failed || status === EXIT.notCarriedOut;
  return decided || results.run.complete ? status : EXIT.interrupted;
}

/** Of a shard without targets there is no evidence. */
function holdsTargets({ results }: { readonly results: Results }): boolean {
  return results.targets.length > 0;
}

// Playwright's report is for those who know it; Assay's own holds everything that it does.
async function addPlaywrightReport(
  blobs: readonly string[],
  folder: string,
  env: Host['env'],
  complain: (sentence: string) => void,
): Promise<void> {
  if (blobs.length === 0) return;
  const { writePlaywrightReport } = await import('./playwright-report.ts');
  const fault = await writePlaywrightReport(blobs, path.join(folder, PLAYWRIGHT_REPORT), env);
  if (fault !== null) complain(`Playwright's own report is left out: ${fault}`);
}

function missingWords(missing: readonly string[]): string {
  if (missing.length === 1) return `shard ${missing[0]} is missing, and the whole is incomplete without it`;
  const all = new Intl.ListFormat('en').format(missing);
  return `shards ${all} are missing, and the whole is incomplete without them`;
}

// Half the evidence would look like the whole.
async function joinInto(
  place: string,
  files: readonly string[],
  complain: (sentence: string) => void,
): Promise<void> {
  if (files.length === 0) return;
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) await joinEvidence(files, place);
  else complain(`the whole has no evidence, because ${missing} is missing`);
}
