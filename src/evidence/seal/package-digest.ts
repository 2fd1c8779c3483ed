import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../core/package-file.ts';
import { sha256 } from './manifest.ts';

const RUNS_SOURCES = import.meta.url.endsWith('.ts');

let own: string | null = null;

/**
 * SHA-256 over the names and digests of the files that this Assay consists of: those of the build, which is the same in
 * a checkout and where the package is installed; the sources, where the sources themselves are running.
 */
export function packageDigest(): string {
  own ??= digestOfPackage();
  return own;
}

function digestOfPackage(): string {
  const lines: string[] = [];
  for (const part of [...(RUNS_SOURCES ? ['specs', 'src'] : ['dist']), 'schemas']) {
    const folder = packageFile(part);
    if (!existsSync(folder)) continue;
    for (const file of filesOf(folder))
      lines.push(`${sha256(readFileSync(path.join(folder, file)))}  ${part}/${file}`);
  }
  lines.push(`${sha256(readFileSync(packageFile('package.json')))}  package.json`);
  return sha256(`${lines.join('\n')}\n`);
}

// Most types stay at home, and have no part in what Assay does. The files are few and small, and at once they are read
// sooner than one after the other.
function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.d.ts'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .toSorted();
}
