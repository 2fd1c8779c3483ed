import { readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

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
