import { cpSync, existsSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../core/sha256.ts';

/** The file that identifies a folder, and everything that may be in it. */
interface SwappedFiles {
  readonly main: string;
  readonly all: ReadonlySet<string>;
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
export function stagingName(place: string, runId: string): string {
  return `.assay-${runId}-${tagOf(place)}`;
}

/** The path of a folder after resolving links, even if the target of the link is missing. */
export function placeOf(out: string): string {
  if (existsSync(out)) return realpathSync(out);
  try {
    return path.resolve(path.dirname(out), readlinkSync(out));
  } catch {
    return path.resolve(out);
  }
}

/** Replaces the folder at `place` by a finished one. Throws Node's error if that is not possible. */
export function replaceFolder(place: string, staging: string, files: SwappedFiles): void {
  const complete = `${staging}${COMPLETE}`;
  renameSync(staging, complete);
  putInPlace(place, complete, files);
}

/**
 * Completes a replacement that a killed process started. Never throws: if it cannot be completed, for example
 * on a read-only disk, nothing changes.
 */
export function recoverFolder(out: string, files: SwappedFiles): void {
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

/** Hidden folders that belong to `place`, oldest first. */
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

function putInPlace(place: string, complete: string, files: SwappedFiles): void {
  const isInside = path.dirname(complete) === place;
  if (!isInside && isSwapped(place, complete)) return;
  // The file that identifies the folder is removed first and written last.
  rmSync(path.join(place, files.main), { force: true });
  for (const name of readdirSync(place)) {
    if (files.all.has(name)) rmSync(path.join(place, name), { recursive: true, force: true });
  }
  const written = readdirSync(complete);
  for (const name of [...written.filter((one) => one !== files.main), files.main]) {
    cpSync(path.join(complete, name), path.join(place, name), { recursive: true });
  }
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
