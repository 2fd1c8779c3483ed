import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from './system-error.ts';

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
