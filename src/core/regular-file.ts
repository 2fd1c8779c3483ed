import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** A file that cannot be read safely; the message is a clause about it. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

const CHUNK_BYTES = 65_536;

/** The kind of a path that is not a regular file, such as `a pipe`; null for a regular file. */
export function irregularKind(stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/**
 * Reads a regular file. Pipes and devices are refused, because they may never end.
 *
 * @throws FileRefusedError if it is not a regular file or larger than `maxBytes`; Node's error if it cannot be opened
 */
export function readRegularFile(file: string, maxBytes: number): Buffer {
  // Without O_NONBLOCK, opening a pipe blocks until it has a writer. Windows has neither.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const kind = irregularKind(fstatSync(handle));
    if (kind !== null) throw new FileRefusedError(`this is ${kind}, not a file`);
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const read = readSync(handle, chunk, 0, CHUNK_BYTES, null);
      if (read === 0) return Buffer.concat(chunks);
      length += read;
      if (length > maxBytes) throw new FileRefusedError(`the file has more than ${maxBytes} bytes`);
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(handle);
  }
}
