import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { makeFolder } from '../../core/files.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import { sha256 } from '../../core/sha256.ts';
import { UserError } from '../../core/user-error.ts';
import { FORMATS, fileOf } from '../formats/table.ts';

/** Parent folder of all runs without --out. */
export const REPORTS = 'reports';

interface FolderFiles {
  /** The file that identifies the folder, and the prefix of its `format`. */
  readonly main: string;
  readonly format: string;
  /** All names that may be in the folder, including the main file. */
  readonly all: ReadonlySet<string>;
  /** Whether `reports/latest` points to it. */
  readonly latest: boolean;
}

export const RUN_FILES: FolderFiles = {
  main: FILE_NAMES.results,
  format: 'assay-results/',
  all: new Set([...FORMATS.map(fileOf), ...Object.values(FILE_NAMES)]),
  latest: true,
};

/** Files of `assay prove`. It does not test a provider, so `latest` does not point to it. */
export const PROVE_FILES: FolderFiles = {
  main: FILE_NAMES.proof,
  format: 'assay-prove/',
  all: new Set([FILE_NAMES.proof, FILE_NAMES.proofPage]),
  latest: false,
};

/** The folder of a run. Files are written to a hidden folder next to it, which is renamed when complete. */
export class RunFolder {
  readonly staging: string;
  readonly final: string;
  readonly #publish: () => Promise<void>;

  private constructor(staging: string, final: string, publish: () => Promise<void>) {
    this.staging = staging;
    this.final = final;
    this.#publish = publish;
  }

  /** `out` is null for `reports/<run id>/`. Throws UserError if it is neither new, nor empty, nor an earlier run. */
  static open({
    out,
    runId,
    files = RUN_FILES,
  }: {
    readonly out: string | null;
    readonly runId: string;
    readonly files?: FolderFiles;
  }): RunFolder {
    if (out === null) {
      const final = path.join(REPORTS, runId);
      const staging = path.join(REPORTS, `.${runId}`);
      makeFolder(REPORTS);
      mkdirSync(staging);
      return new RunFolder(staging, final, async () => {
        await rename(staging, final);
        if (files.latest) await pointLatestAt(REPORTS, runId);
      });
    }
    recoverFolder(out, files);
    refuseForeign(out, files);
    // Links are resolved, so that the folder is replaced and not the link.
    const place = placeOf(out);
    const staging = stagingFor(place, runId);
    return new RunFolder(staging, out, async () => {
      const complete = `${staging}${COMPLETE}`;
      renameSync(staging, complete);
      putInPlace(place, complete, files);
    });
  }

  /** A new run id, such as `20261121-051331-042-9f3c1a`. Ids sort by time (UTC) and are unique. */
  static newId(now = new Date()): string {
    const digits = now.toISOString().replace(/\D/gu, '');
    const tag = randomBytes(3).toString('hex');
    return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${digits.slice(14)}-${tag}`;
  }

  /** Renames the finished folder, replacing an earlier run. Returns its name. */
  async commit(): Promise<string> {
    await this.#publish();
    return this.final;
  }

  /** Removes a written file. Never throws. */
  forget(file: string): void {
    rmSync(path.join(this.staging, file), { force: true });
  }

  /** Removes what is not committed. Synchronous, to run on exit; retries if a file is created meanwhile. */
  discard(): void {
    rmSync(this.staging, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

function refuseForeign(out: string, files: FolderFiles): void {
  const stats = lstatSync(out, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!existsSync(out)) throw new UserError(`--out ${out} is a broken link; choose another folder`);
  if (!lstatSync(realpathSync(out)).isDirectory())
    throw new UserError(`--out ${out} is a file, not a folder; choose another`);
  // A killed process may have left its temporary folder there.
  const entries = readdirSync(out).filter((entry) => !entry.startsWith('.assay-'));
  if (entries.length === 0) return;
  if (!containsRun(out, files))
    throw new UserError(
      `--out ${out} is not empty and contains no earlier run of Assay; choose another folder`,
    );
  const foreign = entries.find((entry) => !files.all.has(entry));
  if (foreign !== undefined)
    throw new UserError(`--out ${out} contains ${foreign}, which Assay did not write; choose another folder`);
}

function containsRun(folder: string, files: FolderFiles): boolean {
  try {
    const results = parsedJson(readFileSync(path.join(folder, files.main), 'utf8'));
    const format = isJsonObject(results) ? results['format'] : null;
    return typeof format === 'string' && format.startsWith(files.format);
  } catch {
    return false;
  }
}

// Next to the folder, so that one rename completes it; inside the folder if its parent is not writable, for
// example with a volume mounted into a container.
function stagingFor(place: string, runId: string): string {
  const above = path.dirname(place);
  try {
    const staging = path.join(above, stagingName(place, runId));
    makeFolder(above);
    mkdirSync(staging);
    return staging;
  } catch (error) {
    if (!existsSync(place)) throw error;
    accessSync(place, constants.W_OK);
    const staging = path.join(place, stagingName(place, runId));
    mkdirSync(staging);
    return staging;
  }
}

/**
 * Points `latest` in a folder of runs to a run, unless it points to a later one. `latest` is a symbolic link,
 * or a text file with the id if the system has no links. Never throws: the run is valid without it.
 */
export async function pointLatestAt(folder: string, id: string): Promise<void> {
  const latest = path.join(folder, 'latest');
  const before = await latestIn(folder);
  if (before !== null && before > id) return;
  const fresh = path.join(folder, `.latest-${id}`);
  try {
    await symlink(id, fresh).catch(() => writeFile(fresh, `${id}\n`));
    await rename(fresh, latest);
  } catch {
    await rm(fresh, { force: true }).catch(() => undefined);
  }
}

/** The run id that `latest` in a folder points to; null if there is none. */
export async function latestIn(folder: string): Promise<string | null> {
  const latest = path.join(folder, 'latest');
  const named = await readlink(latest).catch(() => readFile(latest, 'utf8').catch(() => null));
  return named === null ? null : path.basename(named.trim());
}

/**
 * How a finished folder replaces an earlier one. The steps are repeatable: the next command completes a
 * replacement that a killed process started.
 *
 * 1. Write `.assay-<run>-<tag>`, and rename it to `…-complete`. From here on the run counts.
 * 2. Rename the earlier folder to `…-earlier`.
 * 3. Rename `…-complete` to the name of the folder, and remove `…-earlier`.
 *
 * If the folder cannot be renamed, for example because it is a mounted volume, its files are replaced instead
 * of steps 2 and 3.
 */
const COMPLETE = '-complete';
const EARLIER = '-earlier';

/** Name of the temporary folder of a run that will replace the folder at `place`. */
function stagingName(place: string, runId: string): string {
  return `.assay-${runId}-${tagOf(place)}`;
}

/** The path of a folder after resolving links, even if the target of the link is missing. */
function placeOf(out: string): string {
  if (existsSync(out)) return realpathSync(out);
  try {
    return path.resolve(path.dirname(out), readlinkSync(out));
  } catch {
    return path.resolve(out);
  }
}

/** Completes a replacement that a killed process started. Never throws: if it fails, nothing changes. */
export function recoverFolder(out: string, files: FolderFiles): void {
  const place = placeOf(out);
  for (const folder of [path.dirname(place), place]) {
    try {
      for (const name of leftOf(place, folder, COMPLETE)) putInPlace(place, path.join(folder, name), files);
      for (const name of leftOf(place, folder, EARLIER)) {
        const earlier = path.join(folder, name);
        if (existsSync(place)) rmSync(earlier, { recursive: true, force: true });
        else renameSync(earlier, place);
      }
    } catch {
      // The other folder may contain the missing files.
    }
  }
}

function leftOf(place: string, folder: string, ending: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith('.assay-') && name.endsWith(`-${tagOf(place)}${ending}`))
    .toSorted();
}

// A short, unambiguous form of a name of any length.
function tagOf(place: string): string {
  return sha256(path.basename(place)).slice(0, 12);
}

/** Replaces the folder at `place` by a finished one. Throws Node's error if that is not possible. */
function putInPlace(place: string, complete: string, files: FolderFiles): void {
  const isInside = path.dirname(complete) === place;
  if (!isInside && isSwapped(place, complete)) return;
  // The file that identifies the folder is removed first and written last.
  rmSync(path.join(place, files.main), { force: true });
  for (const name of readdirSync(place)) {
    if (files.all.has(name)) rmSync(path.join(place, name), { recursive: true, force: true });
  }
  const written = readdirSync(complete);
  for (const name of [...written.filter((one) => one !== files.main), files.main])
    cpSync(path.join(complete, name), path.join(place, name), { recursive: true });
  rmSync(complete, { recursive: true, force: true });
}

/** Renames the finished folder to its place; false if the earlier one cannot be renamed. */
function isSwapped(place: string, complete: string): boolean {
  const earlier = `${complete.slice(0, -COMPLETE.length)}${EARLIER}`;
  try {
    if (existsSync(place)) renameSync(place, earlier);
  } catch {
    return false;
  }
  try {
    renameSync(complete, place);
  } catch (error) {
    if (!existsSync(place) && existsSync(earlier)) renameSync(earlier, place);
    // Another process may have completed it meanwhile.
    if (existsSync(complete)) throw error;
  }
  rmSync(earlier, { recursive: true, force: true });
  return true;
}
