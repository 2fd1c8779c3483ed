import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type UnzipFileInfo, unzipSync, type Zippable, zipSync } from 'fflate';
import { FILE_NAMES } from '../../core/file-names.ts';
import { filesOf, SealError } from './manifest.ts';

/** Largest archive in bytes. Archives are written and read in memory. */
const MAX_ARCHIVE_BYTES = 1_073_741_824;
/** Names that stay inside the folder on every system: no drive, backslash, `..` or hidden file. */
const NAME = /^(?!.*(?:^|\/)\.)[\w.@+-]+(?:\/[\w.@+-]+)*$/;
const ZIP_SIGNATURE = Buffer.from('PK\x03\x04');
/** The first day of the zip format. fflate writes local time, so the bytes are the same in every time zone. */
const MTIME = new Date(1980, 0, 1);

/**
 * Writes submission.zip: the manifest, its signature and every file of a run. Members are stored without compression
 * and with a fixed date, so the same files give the same bytes on every machine. Throws SealError if it would exceed
 * MAX_ARCHIVE_BYTES; Node's error if it cannot be written.
 */
export async function writeArchive(folder: string): Promise<void> {
  await writeFile(path.join(folder, FILE_NAMES.submission), await archiveOf(folder));
}

/** Whether an archive equals that of the files in a folder, byte for byte. Throws Node's error. */
export async function archiveFits(folder: string, archive: string): Promise<boolean> {
  const { size } = await stat(archive);
  if (size > MAX_ARCHIVE_BYTES) return false;
  const expected = await archiveOf(folder);
  return size === expected.length && Buffer.compare(await readFile(archive), expected) === 0;
}

async function archiveOf(folder: string): Promise<Uint8Array> {
  const seals = [FILE_NAMES.manifest, FILE_NAMES.signature].filter((file) =>
    existsSync(path.join(folder, file)),
  );
  const members: Zippable = {};
  let bytes = 0;
  for (const name of [...seals, ...filesOf(folder)]) {
    const location = path.join(folder, name);
    bytes += (await stat(location)).size;
    if (bytes > MAX_ARCHIVE_BYTES)
      throw new SealError(
        `${FILE_NAMES.submission} cannot be made: the files of the run have more than ${MAX_ARCHIVE_BYTES} bytes`,
      );
    members[name] = await readFile(location);
  }
  return zipSync(members, { level: 0, mtime: MTIME });
}

/** A zip file that Assay did not write in this form. */
export class AlteredArchiveError extends SealError {}

/**
 * Unpacks a submission into an empty folder. Accepts only uncompressed members, as Assay writes them, so the content
 * cannot grow beyond the size of the archive. Use `archiveFits` to check every byte. Throws AlteredArchiveError for a
 * zip file that is damaged or has other members; SealError for any other file; Node's error if it cannot be read.
 */
export async function unpackArchive(archive: string, folder: string): Promise<void> {
  const name = path.basename(archive);
  if ((await stat(archive)).size > MAX_ARCHIVE_BYTES)
    throw new SealError(`${name} is not an Assay submission: it has more than ${MAX_ARCHIVE_BYTES} bytes`);
  const bytes = await readFile(archive);
  if (!bytes.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE))
    throw new SealError(`${name} is not an Assay submission: it is not a zip file`);
  const refuse = (why: string): never => {
    throw new AlteredArchiveError(`${name} was changed: ${why}`);
  };
  const members = membersOf(bytes, refuse);
  const folders = new Set([...members.keys()].flatMap(foldersAbove));
  for (const [name, bytes] of members) {
    if (folders.has(name)) refuse(`${name} is both a file and a folder`);
    const location = path.join(folder, name);
    await mkdir(path.dirname(location), { recursive: true });
    await writeFile(location, bytes);
  }
}

function membersOf(archive: Uint8Array, refuse: (why: string) => never): ReadonlyMap<string, Uint8Array> {
  const names = new Set<string>();
  const check = ({ name, compression, size, originalSize }: UnzipFileInfo): boolean => {
    if (!NAME.test(name)) refuse('a file in it has a name that no run has');
    if (names.has(name)) refuse(`${name} is in it twice`);
    if (compression !== 0 || size !== originalSize) refuse(`${name} is compressed`);
    names.add(name);
    return true;
  };
  try {
    const members = new Map(Object.entries(unzipSync(archive, { filter: check })));
    return members.size === names.size ? members : refuse('not every file in it can be read');
  } catch (error) {
    if (error instanceof SealError) throw error;
    return refuse('it is damaged or cut off');
  }
}

function foldersAbove(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}
