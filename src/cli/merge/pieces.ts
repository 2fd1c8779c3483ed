import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BLOB } from '../../report/run-folder.ts';
import { resultsFile } from '../shared/results-file.ts';
import { UsageError } from '../shared/usage-error.ts';

/** File of a run that holds its evidence. */
export const EVIDENCE = 'evidence.ndjson.gz';

/** What shards left: their results, and the blobs of those that Playwright ran. */
export interface Pieces {
  /** Files. */
  readonly runs: readonly string[];
  /** Files. */
  readonly blobs: readonly string[];
}

/**
 * Finds what shards left: in the folder of a run, in a folder of such folders, and blobs where Playwright puts them by
 * itself (`report-1.zip`).
 *
 * @throws UsageError where a name leads to none of them, or to blobs alone, which hold no evidence
 */
export async function findPieces(given: readonly string[]): Promise<Pieces> {
  const found = await Promise.all(given.map(piecesAt));
  const runs = found.flatMap((pieces) => pieces.runs);
  const blobs = found.flatMap((pieces) => pieces.blobs);
  const [blob] = blobs;
  if (runs.length > 0 || blob === undefined) return { runs, blobs };
  throw new UsageError(
    `${blob} is what Playwright keeps of a shard, without evidence: merge the folders that Assay left (leave --reporter away)`,
  );
}

async function piecesAt(given: string): Promise<Pieces> {
  const stats = statSync(given, { throwIfNoEntry: false });
  if (stats?.isFile() === true && given.endsWith('.zip')) return { runs: [], blobs: [given] };
  if (stats?.isDirectory() === true && !existsSync(path.join(given, 'results.json'))) {
    const below = await piecesBelow(given);
    if (below.runs.length + below.blobs.length > 0) return below;
  }
  return ofRun(await resultsFile(given));
}

// A link, such as reports/latest, names a run that is there already.
async function piecesBelow(folder: string): Promise<Pieces> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    ({ name }) => !name.startsWith('.'),
  );
  const runs = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name, 'results.json'))
    .filter((file) => existsSync(file))
    .map(ofRun);
  const blobs = entries
    .filter((entry) => entry.isFile() && /^report.*\.zip$/u.test(entry.name))
    .map(({ name }) => path.join(folder, name));
  return { runs: runs.flatMap((run) => run.runs), blobs: [...runs.flatMap((run) => run.blobs), ...blobs] };
}

function ofRun(results: string): Pieces {
  const blob = path.join(path.dirname(results), BLOB);
  return { runs: [results], blobs: existsSync(blob) ? [blob] : [] };
}
