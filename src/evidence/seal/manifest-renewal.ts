import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  digestOf,
  type FileDigest,
  filesOf,
  MANIFEST,
  manifestText,
  readManifest,
  SealError,
  SIGNATURE,
  SUBMISSION,
} from './manifest.ts';

/** Whether the run is signed or archived, so that no file may be added to its folder. */
export async function isSealed(folder: string): Promise<boolean> {
  if ([SIGNATURE, SUBMISSION].some((file) => existsSync(path.join(folder, file)))) return true;
  return (await manifestIn(folder))?.signer != null;
}

/**
 * Adds files that were written later to the manifest of a run. The entries of other files stay, so that
 * changes to those files are still detected. Does nothing if the manifest is missing or was changed.
 *
 * @param written names of files, and of folders with all files in them
 */
export async function renewManifest(folder: string, written: readonly string[]): Promise<void> {
  const manifest = await manifestIn(folder);
  if (manifest === null) return;
  const isWritten = (file: string): boolean =>
    written.some((name) => file === name || file.startsWith(`${name}/`));
  const files = new Map<string, FileDigest>(
    Object.entries(manifest.files).filter(([file]) => !isWritten(file)),
  );
  for (const file of (await filesOf(folder)).filter(isWritten))
    files.set(file, await digestOf(path.join(folder, file)));
  const sorted = Object.fromEntries([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  await writeFile(path.join(folder, MANIFEST), manifestText({ ...manifest, files: sorted }));
}

async function manifestIn(folder: string): Promise<ReturnType<typeof readManifest> | null> {
  try {
    return readManifest(await readFile(path.join(folder, MANIFEST), 'utf8'));
  } catch (error) {
    if (error instanceof SealError || !existsSync(path.join(folder, MANIFEST))) return null;
    throw error;
  }
}
