import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from './package-file.ts';

const OWN = ['src', 'specs', 'dist', 'node_modules'].map((folder) => packageFile(folder) + path.sep);
const PACKAGES = `${path.sep}node_modules${path.sep}`;

/**
 * The location of an error in a user's module, as `checks/mine.mjs:12` relative to the working folder: the
 * innermost call outside of Assay and installed packages. Null if there is none.
 */
export function errorLocation(error: unknown): string | null {
  const frame = framesOf(error).find(({ file }) => !isOwn(file) && !file.includes(PACKAGES));
  return frame === undefined ? null : `${path.relative('', frame.file)}:${frame.line}`;
}

export function isThrownByAssay(error: unknown): boolean {
  const [innermost] = framesOf(error);
  return innermost === undefined || isOwn(innermost.file);
}

function isOwn(file: string): boolean {
  return OWN.some((folder) => file.startsWith(folder));
}

/** The stack frames in files (not in Node.js itself), innermost first. */
function framesOf(error: unknown) {
  if (!(error instanceof Error)) return [];
  return [...(error.stack ?? '').matchAll(FRAME)].map(([, location = '', line]) => ({
    file: location.startsWith('file:') ? fileURLToPath(location) : location,
    line: Number(line),
  }));
}

/** `at name (file:///place:line:column)`, also without a name and with a plain path. */
const FRAME = /^ +at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):\d+\)?$/gmu;
