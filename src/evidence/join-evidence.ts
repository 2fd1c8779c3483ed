import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Joins evidence files in their order. Lines refer only to bodies of their own file, and gzip files may be concatenated, so
 * the bytes are copied unchanged.
 *
 * @throws Node's error where a file cannot be read or written
 */
export async function joinEvidence(files: readonly string[], into: string): Promise<void> {
  await pipeline(async function* () {
    for (const file of files) yield* createReadStream(file);
  }, createWriteStream(into));
}
