import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './files.ts';
import type { Tool } from './results.ts';
import { sha256 } from './sha256.ts';

const thisFile = fileURLToPath(import.meta.url);
const RUNS_SOURCES = thisFile.endsWith('.ts');
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
  return packageFile(RUNS_SOURCES ? `${name}.ts` : `dist/${name}.js`);
}

let version: string | null = null;

export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
  return version;
}

export function thisTool(): Tool {
  return { name: 'assay', version: packageVersion(), node: process.version };
}

let digest: string | null = null;

/**
 * SHA-256 over the names and digests of Assay's own files: the build, which is the same in a checkout and in
 * an installed package, or the sources if the sources are running.
 */
export function packageDigest(): string {
  digest ??= digestOfPackage();
  return digest;
}

function digestOfPackage(): string {
  const lines: string[] = [];
  for (const part of [...(RUNS_SOURCES ? ['specs', 'src'] : ['dist']), 'schemas']) {
    const folder = packageFile(part);
    if (!existsSync(folder)) continue;
    // Type declarations are left out: most are not published, and none affects behaviour.
    for (const file of filesBelow(folder).filter((name) => !name.endsWith('.d.ts')))
      lines.push(`${sha256(readFileSync(path.join(folder, file)))}  ${part}/${file}`);
  }
  lines.push(`${sha256(readFileSync(packageFile('package.json')))}  package.json`);
  return sha256(`${lines.join('\n')}\n`);
}

// This module runs from src/ in tests and from dist/ when installed. The root folder contains package.json.
function findRoot(from: string): string {
  if (existsSync(path.join(from, 'package.json'))) return from;
  const above = path.dirname(from);
  if (above === from) throw new Error('Cannot find package.json of Assay. Reinstall the package.');
  return findRoot(above);
}
