import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Joins evidence files to one, in their order. A body that a line refers to stands in an earlier line of its own file,
 * and gzip files may follow each other, so their bytes are copied as they are.
 *
 * @throws Node's error where a file cannot be read or written
 */
export async function joinEvidence(files: readonly string[], into: string): Promise<void> {
  await pipeline(async function* () {
    for (const file of files) yield* createReadStream(file);
  }, createWriteStream(into));
}
