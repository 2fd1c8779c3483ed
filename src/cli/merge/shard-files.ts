import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { resultsFile } from '../shared/results-file.ts';

/** Name of the evidence file of a run. */
export const EVIDENCE = 'evidence.ndjson.gz';

/**
 * Finds the results.json of every shard: in the folder of a run, or in the folders inside a folder.
 *
 * @throws UsageError if a name leads to neither
 */
export async function findShards(given: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(given.map(shardsAt))).flat();
}

async function shardsAt(given: string): Promise<readonly string[]> {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
  const inside = isFolder && !existsSync(path.join(given, 'results.json')) ? await shardsInside(given) : [];
  return inside.length > 0 ? inside : [await resultsFile(given)];
}

// Links are skipped: reports/latest points to a run that is found anyway.
async function shardsInside(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => path.join(folder, name, 'results.json'))
    .filter((file) => existsSync(file));
}
