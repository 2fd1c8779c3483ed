import { existsSync, statSync } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SealError } from './manifest.ts';
import { CENTRAL, LOCAL } from './zip-words.ts';

/** Bytes of a member's head before its name. */
const HEAD = 30;
/** Names that stay inside the folder on every system: no drive, no backslash, no step upwards, nothing hidden. */
const NAME = /^(?!.*(?:^|\/)\.)[\w.@+-]+(?:\/[\w.@+-]+)*$/;

/**
 * Takes a submission apart into a folder that exists and is empty. Only what Assay itself writes is read: members that
 * are stored as they are, so that nothing can grow beyond the archive's own size. Whether every bit is right is
 * `archiveFits`'s to say.
 *
 * @throws SealError where it is no such archive; Node's error where it cannot be read
 */
export async function unpackArchive(archive: string, folder: string): Promise<void> {
  const complaint = (what: string): SealError =>
    new SealError(`${path.basename(archive)} is no submission of Assay: ${what}`);
  const file = await open(archive);
  try {
    const { size } = await file.stat();
    let at = 0;
    for (;;) {
      const head = Buffer.alloc(HEAD);
      await file.read(head, 0, HEAD, at);
      if (at > 0 && head.readUInt32LE(0) === CENTRAL) return;
      if (head.readUInt32LE(0) !== LOCAL) throw complaint(`no file begins at byte ${at}`);
      const length = head.readUInt32LE(22);
      const name = Buffer.alloc(head.readUInt16LE(26));
      const start = at + HEAD + name.length + head.readUInt16LE(28);
      if (head.readUInt16LE(8) !== 0 || start + length > size)
        throw complaint(`the file at byte ${at} is not stored whole`);
      await file.read(name, 0, name.length, at + HEAD);
      const place = name.toString('utf8');
      if (!NAME.test(place)) throw complaint(`the file at byte ${at} has a name that no run has`);
      if (existsSync(path.join(folder, place))) throw complaint(`${place} is in it twice`);
      if (!hasRoom(folder, place)) throw complaint(`a file in it lies in the way of ${place}`);
      await copied(file, start, length, path.join(folder, place));
      at = start + length;
    }
  } finally {
    await file.close();
  }
}

/** Whether everything above a place is a folder, or can become one. */
function hasRoom(folder: string, place: string): boolean {
  const parts = place.split('/').slice(0, -1);
  return parts.every((_part, index) => {
    const above = path.join(folder, ...parts.slice(0, index + 1));
    return statSync(above, { throwIfNoEntry: false })?.isDirectory() ?? true;
  });
}

async function copied(
  from: Awaited<ReturnType<typeof open>>,
  start: number,
  length: number,
  place: string,
): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  // A stream cannot end before it begins.
  if (length === 0) return writeFile(place, '');
  await writeFile(place, from.createReadStream({ start, end: start + length - 1, autoClose: false }));
}
