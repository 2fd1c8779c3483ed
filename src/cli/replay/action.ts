import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { jsonText } from '../../core/json-text.ts';
import { replay } from '../../run/replay/replay.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text } from '../shared/options/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/process/exit-status.ts';
import { replayText } from '../shared/replay-text.ts';
import { readResults, resultsFile, targetNamed } from '../shared/run-files/results-file.ts';

/**
 * Runs `assay replay`: 0 if all verdicts are the same, 1 otherwise.
 *
 * @throws UsageError, EvidenceError if the run cannot be replayed
 */
export async function performReplay(args: Arguments, host: Host): Promise<ExitStatus> {
  const file = await resultsFile(String(args['run']));
  const results = await readResults(file);
  const given = text(args, 'target');
  const only = given === null ? null : targetNamed(results, given).name;
  const replayed = await replay(results, path.join(path.dirname(file), FILE_NAMES.evidence), { only });
  if (flag(args, 'json')) host.out.write(`${jsonText(replayed)}\n`);
  else host.out.write(replayText(results, replayed));
  return replayed.differences.length === 0 && replayed.missing.length === 0 ? EXIT.ok : EXIT.failed;
}
