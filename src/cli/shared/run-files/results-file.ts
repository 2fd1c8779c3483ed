import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../../core/file-names.ts';
import { parsedJson } from '../../../core/json-text.ts';
import type { Results, TargetResult } from '../../../core/results.ts';
import { schemaProblem } from '../../../core/schemas/shipped-schema.ts';
import { didYouMean } from '../../../core/suggestion.ts';
import { describeSystemError, messageOf } from '../../../core/system-error.ts';
import { latestIn, REPORTS, RUN_FILES, recoverFolder } from '../../../report/folder/run-folder.ts';
import { type Say, UsageError } from '../../command.ts';

interface ListedRun {
  readonly name: string;
  readonly results: Results;
}

/** The results.json of a run: a folder, a run id in reports/, the file itself, or `latest`. Throws UsageError. */
export async function resultsFile(run: string): Promise<string> {
  const named = run === 'latest' && !existsSync(run) ? ((await latestIn(REPORTS)) ?? run) : run;
  for (const location of [named, path.join(REPORTS, named)]) {
    if (!existsSync(path.join(location, RUN_FILES.main))) recoverFolder(location, RUN_FILES);
    const stats = statSync(location, { throwIfNoEntry: false });
    if (stats?.isFile() === true) return location;
    if (stats?.isDirectory() === true && existsSync(path.join(location, FILE_NAMES.results)))
      return path.join(location, FILE_NAMES.results);
    if (stats?.isDirectory() === true) throw new UsageError(whyNoRun(location));
  }
  throw new UsageError(
    `there is no run at ${run}, nor at ${path.join(REPORTS, run)}; name a folder that assay run wrote`,
  );
}

function whyNoRun(folder: string): string {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return `the folder ${folder} has no ${FILE_NAMES.results}; name a folder that assay run wrote`;
  } catch (error) {
    return `the folder ${folder} cannot be read: ${describeSystemError(error)}`;
  }
}

/** `run` is as {@link resultsFile} takes it. */
export async function readRun(run: unknown): Promise<{ readonly folder: string; readonly results: Results }> {
  const file = await resultsFile(String(run));
  return { folder: path.dirname(file), results: await readResults(file) };
}

/** Throws UsageError if the file cannot be read, or does not match the schema. */
export async function readResults(file: string): Promise<Results> {
  let text: string;
  // Reading a pipe would block.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError(`${file} is not a regular file`);
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${describeSystemError(error)}`);
  }
  const results = parsedJson(text);
  if (results === undefined)
    throw new UsageError(
      `${file} is not JSON, so it holds no results of a run; name a folder that assay run wrote`,
    );
  const problem = schemaProblem('results', results);
  if (problem === null) return withCauses(results as Results);
  throw new UsageError(
    `${file} does not match the results schema of this version of Assay: ${problem}; assay verify shows whether it was edited, otherwise use the version that wrote it`,
  );
}

/** Throws UsageError that suggests the nearest name. */
export function targetNamed({ targets }: Results, name: string): TargetResult {
  const found = targets.find((target) => target.name === name);
  if (found !== undefined) return found;
  const names = targets.map((target) => target.name);
  const hint = didYouMean(name, names) || `; it has ${names.join(', ')}`;
  throw new UsageError(`the run has no target "${name}"${hint}`);
}

// Versions before 0.2 did not write causes.
function withCauses(results: Results): Results {
  const targets = results.targets.map((target) => ({
    ...target,
    requirements: target.requirements.map((one) => ({ ...one, cause: one.cause ?? null })),
  }));
  return { ...results, targets };
}

export function expectFolder(folder: string): void {
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}`);
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file, not a folder of runs`);
}

/** Sorted names of the folders with a finished run. */
export function runNamesIn(folder: string): readonly string[] {
  expectFolder(folder);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .filter((entry) => existsSync(path.join(folder, entry.name, FILE_NAMES.results)))
    .map((entry) => entry.name)
    .sort();
}

/** Every run in a folder, oldest first. A run that cannot be read is skipped with a warning. */
export async function listRuns(folder: string, warn: Say): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const name of runNamesIn(folder)) {
    try {
      runs.push({ name, results: await readResults(path.join(folder, name, FILE_NAMES.results)) });
    } catch (error) {
      warn(`skipped: ${messageOf(error)}`);
    }
  }
  return runs.toSorted((one, other) => one.results.run.startedAt.localeCompare(other.results.run.startedAt));
}
