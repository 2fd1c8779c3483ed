import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { codeOf } from './system-error.ts';

/** A file that cannot be read safely; the message is a clause about it. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/** The kind of a path that is not a regular file, such as `a pipe`; null for a regular file. */
export function irregularKind(stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Bytes that are read at a time. */
const PIECE_BYTES = 65_536;

/**
 * Reads a regular file. Pipes and devices are refused, because they may never end.
 *
 * @throws FileRefusedError if it is not a regular file or larger than `maxBytes`; Node's error if it cannot be opened
 */
export function readRegularFile(file: string, maxBytes: number): Buffer {
  // Without O_NONBLOCK, opening a pipe blocks until it has a writer. Windows has neither.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle);
    const kind = irregularKind(stats);
    if (kind !== null) throw new FileRefusedError(`this is ${kind}, not a file`);
    return readUpTo(handle, maxBytes);
  } finally {
    closeSync(handle);
  }
}

// The size that the system states may be 0, as in /proc, or grow meanwhile.
function readUpTo(handle: number, maxBytes: number): Buffer {
  const pieces: Buffer[] = [];
  for (let length = 0; length <= maxBytes; ) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const read = readSync(handle, piece);
    if (read === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, read));
    length += read;
  }
  throw new FileRefusedError(`the file has more than ${maxBytes} bytes`);
}

/** All files in a folder and its subfolders, by their paths in it with `/` as separator, sorted. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();
}

/**
 * Makes a folder and those above it, where they are missing. Throws Node's error. Node's own `recursive` never returns
 * where an existing folder answers ENOENT to a new one, as /proc does.
 */
export function makeFolder(folder: string): void {
  const above = path.dirname(folder);
  if (folder !== above && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}
