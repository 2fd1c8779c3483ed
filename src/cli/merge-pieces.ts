import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOf, MANIFEST, readManifest } from '../evidence/seal/manifest.ts';
import { BLOB } from '../report/run-folder.ts';
import { resultsFile } from './finished-run.ts';
import { UsageError } from './usage-error.ts';

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

/**
 * Holds what a shard left to its manifest, so that an upload cut off is not sealed into the whole. A file that is missing
 * is another matter, and so is a shard without a manifest.
 *
 * @throws UsageError where a file was changed; SealError where the manifest was
 */
export async function expectIntact(folder: string): Promise<void> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => null);
  if (text === null) return;
  const { files } = readManifest(text);
  for (const name of ['results.json', EVIDENCE, BLOB]) {
    const sealed = files[name];
    const file = path.join(folder, name);
    if (sealed === undefined || !existsSync(file)) continue;
    const { sha256 } = await digestOf(file);
    if (sha256 !== sealed.sha256) throw new UsageError(`${file} was changed after its shard had left it`);
  }
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
