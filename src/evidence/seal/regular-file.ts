import { lstatSync } from 'node:fs';

/**
 * Whether a path is a regular file. What a run leaves are such files alone: a pipe would be read for ever, and a link
 * shows what lies elsewhere.
 */
export function isRegular(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether anything at all has that name, be it a link that leads nowhere. */
export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
