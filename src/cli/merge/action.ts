import { createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { conclusionOf } from '../../core/conclusion.ts';
import { FILE_NAMES } from '../../core/file-names.ts';
import type { Results } from '../../core/results.ts';
import { readSigningKey } from '../../evidence/seal/keys.ts';
import { RunFolder } from '../../report/folder/run-folder.ts';
import { FORMATS } from '../../report/formats/table.ts';
import { joinEvidence, mergeShards } from '../../run/merge.ts';
import {
  type Arguments,
  EXIT,
  type ExitStatus,
  exitStatusOf,
  type Host,
  statusWithLoss,
  type Tolerance,
  warnerOf,
} from '../command.ts';
import { commandLine, flag, manyOf, positionals, readTolerance, text } from '../shared/options.ts';
import { readResults } from '../shared/run-files/results-file.ts';
import { openFolder, publishRun } from '../shared/run-files/run-output.ts';
import { expectShards, findShards } from './shard-seal.ts';

/**
 * Runs `assay merge`: the report, the evidence and the exit status of one process that tests all targets.
 *
 * @throws MergeError if the runs are not shards of one run
 */
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
  const warn = warnerOf(host);
  const files = await findShards(positionals(args, 'run'));
  const read = await Promise.all(
    files.map(async (file) => ({ folder: path.dirname(file), results: await readResults(file) })),
  );
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
  if (missing.length > 0) warn(missingSentence(missing));
  const folder = openFolder(id, text(args, 'out'));
  try {
    await joinInto(
      path.join(folder.staging, FILE_NAMES.evidence),
      shards
        .filter((shard) => shard.results.targets.length > 0)
        .map((shard) => path.join(shard.folder, FILE_NAMES.evidence)),
      warn,
    );
    const isPublished = await publishRun(results, folder, options, host);
    const judged = statusOf(results, readTolerance(args, results.run.suite));
    return statusWithLoss(judged, missing.length > 0 || !isPublished);
  } finally {
    folder.discard();
  }
}

function statusOf(results: Results, tolerance: Tolerance): ExitStatus {
  const status = exitStatusOf(conclusionOf(results), tolerance);
  const decided = status === EXIT.failed || status === EXIT.notCarriedOut;
  return decided || results.run.complete ? status : EXIT.interrupted;
}

function missingSentence(missing: readonly string[]): string {
  const what =
    missing.length === 1
      ? `shard ${missing[0]} is`
      : `shards ${new Intl.ListFormat('en').format(missing)} are`;
  return `${what} missing, so the merged run is incomplete`;
}

// Writes nothing if a file is missing, because partial evidence would look complete.
async function joinInto(
  output: string,
  files: readonly string[],
  warn: (sentence: string) => void,
): Promise<void> {
  if (files.length === 0) return;
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) await joinEvidence(files, output);
  else warn(`the merged run has no evidence, because ${missing} is missing`);
}
