import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

/** The file by which a folder is known, and everything that may be in it. */
export interface SwappedFiles {
  readonly main: string;
  readonly all: ReadonlySet<string>;
}

/**
 * How a finished folder replaces an earlier one. The steps can be repeated, so that the next command
 * completes what a killed process began:
 *
 * 1. `.assay-<run>-<tag>` is written, and renamed to `…-complete`. From here on the run counts.
 * 2. The earlier folder is renamed to `…-earlier`.
 * 3. `…-complete` is renamed to the name of the folder, and `…-earlier` is removed.
 *
 * Where the folder cannot be renamed, as with a mounted volume, step 2 and 3 replace its files instead.
 */
const COMPLETE = '-complete';
const EARLIER = '-earlier';

/** Name of the folder in which the files of a run are written that will replace the one at `place`. */
export function stagingName(place: string, runId: string): string {
  return `.assay-${runId}-${tagOf(place)}`;
}

/** The folder that a path names, links followed; the one that a link should lead to where that is missing. */
export function placeOf(out: string): string {
  if (existsSync(out)) return realpathSync(out);
  try {
    return path.resolve(path.dirname(out), readlinkSync(out));
  } catch {
    return path.resolve(out);
  }
}

/** Replaces the folder at `place` by a finished one. Throws Node's error where that cannot be. */
export function replaceFolder(place: string, staging: string, files: SwappedFiles): void {
  const complete = `${staging}${COMPLETE}`;
  renameSync(staging, complete);
  putInPlace(place, complete, files);
}

/**
 * Completes what a killed process began to put in place of a folder. Never throws: what cannot be completed, as on a disk
 * that can only be read, stays as it is.
 */
export function recoverFolder(out: string, files: SwappedFiles): void {
  const place = placeOf(out);
  for (const folder of [path.dirname(place), place]) {
    try {
      for (const name of leftOf(place, folder, COMPLETE)) putInPlace(place, path.join(folder, name), files);
      for (const name of leftOf(place, folder, EARLIER)) restoreOrRemove(place, path.join(folder, name));
    } catch {
      // The other folder may still hold what is missing.
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

// A name of any length and with any characters becomes a short one that no other name begins or ends with.
function tagOf(place: string): string {
  return createHash('sha256').update(path.basename(place)).digest('hex').slice(0, 12);
}

function restoreOrRemove(place: string, earlier: string): void {
  if (existsSync(place)) rmSync(earlier, { recursive: true, force: true });
  else renameSync(earlier, place);
}

function putInPlace(place: string, complete: string, files: SwappedFiles): void {
  const isInside = path.dirname(complete) === place;
  if (!isInside && isSwapped(place, complete)) return;
  // The file by which the folder is known goes first and comes last.
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

/** Renames the finished folder to its place; false where the system does not let the earlier one go. */
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
