import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Results } from '../core/results.ts';
import { joinEvidence } from '../evidence/join.ts';
import { RunFolder } from '../report/run-folder.ts';
import { visible } from '../report/safe-text.ts';
import { FORMATS } from '../report/write.ts';
import { mergeShards } from '../run/merge.ts';
import { flag, manyOf, oneOf, text } from './arguments.ts';
import { uncertified } from './certify.ts';
import type { Arguments } from './command.ts';
import { commandLine } from './command-line.ts';
import { EXIT, type ExitStatus, exitStatusOf } from './exit-status.ts';
import { readResults, resultsFile } from './finished-run.ts';
import type { Host } from './host.ts';
import { addJobSummary, annotate, keep, openFolder, tell } from './keep-run.ts';
import { FAIL_ON } from './run-options.ts';
import { readSigningKey } from './signing-key.ts';

const EVIDENCE = 'evidence.ndjson.gz';

/**
 * Carries out `assay merge`: the report, the evidence and the exit status that one process would have given.
 *
 * @throws MergeError where the runs are not all the shards of one
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
  const asked = oneOf(args, 'fail-on', FAIL_ON);
  const complain = (sentence: string): void => host.err.write(`assay: ${visible(sentence)}\n`);
  const shards = await Promise.all(
    runs.map(async (run) => {
      const file = await resultsFile(run);
      return { folder: path.dirname(file), results: await readResults(file) };
    }),
  );
  const id = RunFolder.newId();
  const results = mergeShards(
    shards.map((shard) => shard.results),
    { id, command: commandLine(['assay', ...words]) },
  );
  const folder = openFolder(id, text(args, 'out'), complain);
  try {
    if (folder !== null) {
      await joinInto(
        path.join(folder.staging, EVIDENCE),
        shards.map((shard) => path.join(shard.folder, EVIDENCE)),
        complain,
      );
    }
    const kept = folder === null ? null : await keep(results, folder, options, complain);
    await addJobSummary(results, host.env, complain);
    tell(results, kept?.folder ?? null, options, host);
    await annotate(results, host, options);
    for (const { id: left, reason } of uncertified(results))
      complain(`a certification needs ${left}: ${reason}`);
    const status = statusOf(results, asked ?? (results.run.suite === 'certify' ? 'inconclusive' : 'fail'));
    return (kept === null || kept.unmade) && status !== EXIT.failed ? EXIT.notCarriedOut : status;
  } finally {
    folder?.discard();
  }
}

function statusOf(results: Results, failOn: (typeof FAIL_ON)[number]): ExitStatus {
  const status = exitStatusOf(results.outcome, failOn);
  if (status === EXIT.ok && !results.run.complete) return EXIT.interrupted;
  return status === EXIT.ok && uncertified(results).length > 0 ? EXIT.inconclusive : status;
}

// Half the evidence would look like the whole.
async function joinInto(
  place: string,
  files: readonly string[],
  complain: (sentence: string) => void,
): Promise<void> {
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) await joinEvidence(files, place);
  else complain(`the whole has no evidence, because ${missing} is missing`);
}
