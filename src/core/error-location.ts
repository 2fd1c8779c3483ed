import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from './package-file.ts';

interface Frame {
  readonly file: string;
  readonly line: number;
}

const OWN = ['src', 'specs', 'dist', 'node_modules'].map((folder) => packageFile(folder) + path.sep);
const PACKAGES = `${path.sep}node_modules${path.sep}`;

/**
 * Where an error comes from in a module of the user, as `checks/mine.mjs:12` relative to the working folder: the innermost
 * call that is neither in Assay nor in an installed package. Null where the stack shows none.
 */
export function errorLocation(error: unknown): string | null {
  const frame = framesOf(error).find(({ file }) => !isOwn(file) && !file.includes(PACKAGES));
  return frame === undefined ? null : `${path.relative('', frame.file)}:${frame.line}`;
}

/** Whether Assay itself made the error, for whatever reason. */
export function isThrownByAssay(error: unknown): boolean {
  const [innermost] = framesOf(error);
  return innermost === undefined || isOwn(innermost.file);
}

function isOwn(file: string): boolean {
  return OWN.some((folder) => file.startsWith(folder));
}

/** The calls of an error's stack that are in files, the innermost first; those of Node.js itself are in none. */
function framesOf(error: unknown): readonly Frame[] {
  if (!(error instanceof Error)) return [];
  return [...(error.stack ?? '').matchAll(FRAME)].map(([, place = '', line]) => ({
    file: place.startsWith('file:') ? fileURLToPath(place) : place,
    line: Number(line),
  }));
}

/** `at name (file:///place:line:column)`, also without a name and with a plain path. */
const FRAME = /^ +at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):\d+\)?$/gmu;
