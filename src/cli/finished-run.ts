import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageFile } from '../core/package-file.ts';
import type { Results } from '../core/results.ts';
import { latestIn } from '../report/latest.ts';
import { REPORTS } from '../report/run-folder.ts';
import { UsageError } from './usage-error.ts';

/**
 * The results.json of a run: a folder, a run id below reports/, the file itself, or `latest`.
 *
 * @throws UsageError where there is no such run
 */
export async function resultsFile(run: string): Promise<string> {
  const named = run === 'latest' && !existsSync(run) ? ((await latestIn(REPORTS)) ?? run) : run;
  for (const place of [named, path.join(REPORTS, named)]) {
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats?.isFile() === true) return place;
    if (stats?.isDirectory() === true && existsSync(path.join(place, 'results.json'))) {
      return path.join(place, 'results.json');
    }
  }
  throw new UsageError(`there is no run at ${run}, nor at ${path.join(REPORTS, run)}`);
}

let compiled: Promise<(value: unknown) => Results | string> | null = null;

/**
 * Reads results.json.
 *
 * @throws UsageError where it cannot be read, or is none
 */
export async function readResults(file: string): Promise<Results> {
  // Compiling the schema takes longer than reading, and `assay history` reads many.
  compiled ??= compile();
  const check = await compiled;
  let results: unknown;
  try {
    results = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const checked = check(results);
  if (typeof checked !== 'string') return checked;
  throw new UsageError(`${file} is no result of this version of Assay: ${checked}`);
}

/** Holds a value to the schema of results.json: the results, or half a sentence on what is wrong with them. */
async function compile(): Promise<(value: unknown) => Results | string> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { default: formats } = await import('ajv-formats');
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);
  const schema: unknown = JSON.parse(await readFile(packageFile('schemas/results.schema.json'), 'utf8'));
  const valid = ajv.compile<Results>(schema as object);
  return (value) => {
    if (valid(value)) return value;
    const [problem] = valid.errors ?? [];
    return `${problem?.instancePath || 'its top'} ${problem?.message ?? ''}`;
  };
}
