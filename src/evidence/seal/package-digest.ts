import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from '../../core/files.ts';
import { packageFile } from '../../core/package-file.ts';
import { sha256 } from '../../core/sha256.ts';

const RUNS_SOURCES = import.meta.url.endsWith('.ts');

let own: string | null = null;

/**
 * SHA-256 over the names and digests of Assay's own files: the build, which is the same in a checkout and in
 * an installed package, or the sources if the sources are running.
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
    // Type declarations are left out: most are not published, and none affects behaviour.
    for (const file of filesBelow(folder).filter((name) => !name.endsWith('.d.ts')))
      lines.push(`${sha256(readFileSync(path.join(folder, file)))}  ${part}/${file}`);
  }
  lines.push(`${sha256(readFileSync(packageFile('package.json')))}  package.json`);
  return sha256(`${lines.join('\n')}\n`);
}
