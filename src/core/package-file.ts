import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const thisFile = fileURLToPath(import.meta.url);
const root = findRoot(path.dirname(thisFile));

/** Absolute path of a file that ships with Assay, such as `schemas/printer.schema.json`. */
export function packageFile(relative: string): string {
  return path.join(root, relative);
}

/**
 * Absolute path of a module of Assay, given without its extension, such as `src/prove/worker`: the source
 * file in tests, otherwise the built file. The module must be an entry of the build.
 */
export function ownModule(name: string): string {
  return packageFile(thisFile.endsWith('.ts') ? `${name}.ts` : `dist/${name}.js`);
}

let version: string | null = null;

/** Version of Assay from its package.json. */
export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
  return version;
}

// This module runs from src/ in tests and from dist/ when installed. The root folder contains package.json.
function findRoot(from: string): string {
  if (existsSync(path.join(from, 'package.json'))) return from;
  const above = path.dirname(from);
  if (above === from) throw new Error('Cannot find package.json of Assay. Reinstall the package.');
  return findRoot(above);
}
