import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(import.meta.url);
const root = findRoot(path.dirname(own));

/** Absolute path of a file that ships with Assay, such as `schemas/printer.schema.json`. */
export function packageFile(relative: string): string {
  return path.join(root, relative);
}

/**
 * Absolute path of a module of Assay itself, named without its extension, such as `src/prove/worker`: its source where
 * sources are running, as in tests, and else what the build made of it. The build must name it among its entries.
 */
export function ownModule(name: string): string {
  return packageFile(own.endsWith('.ts') ? `${name}.ts` : `dist/${name}.js`);
}

/** Version of this Assay, from its package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}

// The same module runs from src/ (tests) and from somewhere below dist/ (the installed command): the folder that holds
// package.json is the root in both.
function findRoot(from: string): string {
  if (existsSync(path.join(from, 'package.json'))) return from;
  const above = path.dirname(from);
  if (above === from) throw new Error('Assay cannot find its own package.json');
  return findRoot(above);
}
