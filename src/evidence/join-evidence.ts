import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Joins evidence files in the given order. The bytes are copied unchanged: lines refer only to bodies of
 * their own file, and gzip files may be concatenated.
 *
 * @throws Node's error if a file cannot be read or written
 */
export async function joinEvidence(files: readonly string[], into: string): Promise<void> {
  await pipeline(async function* () {
    for (const file of files) yield* createReadStream(file);
  }, createWriteStream(into));
}
