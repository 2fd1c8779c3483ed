import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Results } from '../../core/results.ts';
import { readResults } from './results-file.ts';
import { UsageError } from './usage-error.ts';

/** A run in a folder of runs. */
export interface ListedRun {
  /** Name of its folder. */
  readonly name: string;
  readonly results: Results;
}

/** Throws UsageError if there is no such folder. */
export function expectFolder(folder: string): void {
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}`);
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file, not a folder of runs`);
}

/** Sorted names of the folders with a finished run. */
export function runNamesIn(folder: string): readonly string[] {
  expectFolder(folder);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .filter((entry) => existsSync(path.join(folder, entry.name, 'results.json')))
    .map((entry) => entry.name)
    .sort();
}

/**
 * Every run in a folder, oldest first. A run that cannot be read is skipped with a warning.
 *
 * @throws UsageError if there is no such folder
 */
export async function listRuns(
  folder: string,
  warn: (sentence: string) => void,
): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const name of runNamesIn(folder)) {
    try {
      runs.push({ name, results: await readResults(path.join(folder, name, 'results.json')) });
    } catch (error) {
      warn(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return runs.toSorted((one, other) => one.results.run.startedAt.localeCompare(other.results.run.startedAt));
}
