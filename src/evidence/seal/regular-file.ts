import { lstatSync } from 'node:fs';

/**
 * Whether a path is a regular file. A run writes only these: reading a pipe would block, and a link may lead
 * outside the folder.
 */
export function isRegular(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a path exists, including a broken link. */
export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
