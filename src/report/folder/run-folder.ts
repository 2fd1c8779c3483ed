import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { makeFolder } from '../../core/files.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import { UserError } from '../../core/user-error.ts';
import { FORMATS, fileOf } from '../formats/table.ts';
import { placeOf, recoverFolder, replaceFolder, stagingName } from './folder-swap.ts';

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

/** Files of `assay run`. */
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

/** Assay must not replace the folder. The message is one sentence for the user. */
export class RunFolderError extends UserError {
  override readonly name = 'RunFolderError';
}

/**
 * The folder of a run: `reports/<run id>/`, or the folder named by the user. Files are written to a hidden
 * folder next to it, which is renamed when complete.
 */
export class RunFolder {
  /** The temporary folder, which exists. */
  readonly staging: string;
  /** The final folder, as the user named it. */
  readonly final: string;
  readonly #publish: () => Promise<void>;

  private constructor(staging: string, final: string, publish: () => Promise<void>) {
    this.staging = staging;
    this.final = final;
    this.#publish = publish;
  }

  /**
   * Prepares the folder.
   *
   * @param out null for `reports/<run id>/`
   * @throws RunFolderError if `out` is neither new, nor empty, nor an earlier run
   * @throws Node's error if the folder cannot be written
   */
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
    return new RunFolder(staging, out, async () => replaceFolder(place, staging, files));
  }

  /** A new run id, such as `20261121-051331-042-9f3c1a`. Ids sort by time (UTC) and are unique. */
  static newId(now = new Date()): string {
    const [date = '', time = ''] = now.toISOString().split('T');
    const digits = time.replace(/\D/gu, '');
    const clock = `${digits.slice(0, 6)}-${digits.slice(6, 9)}`;
    return `${date.replaceAll('-', '')}-${clock}-${randomBytes(3).toString('hex')}`;
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

  /**
   * Removes everything that is not committed. Synchronous, so that it can run on exit; retries if a file is
   * created meanwhile.
   */
  discard(): void {
    rmSync(this.staging, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

function refuseForeign(out: string, files: FolderFiles): void {
  const stats = lstatSync(out, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!existsSync(out)) throw new RunFolderError(`--out ${out} is a broken link; choose another folder`);
  if (!lstatSync(realpathSync(out)).isDirectory()) {
    throw new RunFolderError(`--out ${out} is a file, not a folder; choose another`);
  }
  const entries = readdirSync(out);
  if (entries.length === 0) return;
  if (!containsRun(out, files)) {
    throw new RunFolderError(
      `--out ${out} is not empty and contains no earlier run of Assay; choose another folder`,
    );
  }
  const foreign = entries.find((entry) => !files.all.has(entry) && !entry.startsWith('.assay-'));
  if (foreign !== undefined) {
    throw new RunFolderError(
      `--out ${out} contains ${foreign}, which Assay did not write; choose another folder`,
    );
  }
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
