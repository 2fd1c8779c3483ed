import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../core/package-file.ts';
import { filesOf, sha256 } from './manifest.ts';

let own: Promise<string> | null = null;

/**
 * SHA-256 over the names and digests of the files that make up this Assay and are carried out or read by it: the same
 * in a checkout and where the package is installed.
 */
export function packageDigest(): Promise<string> {
  own ??= digestOfPackage();
  return own;
}

async function digestOfPackage(): Promise<string> {
  const lines: string[] = [];
  for (const part of ['dist', 'schemas']) {
    const folder = packageFile(part);
    if (!existsSync(folder)) continue;
    // Most types stay at home, and have no part in what Assay does.
    for (const file of await filesOf(folder))
      if (!file.endsWith('.d.ts'))
        lines.push(`${sha256(readFileSync(path.join(folder, file)))}  ${part}/${file}`);
  }
  lines.push(`${sha256(readFileSync(packageFile('package.json')))}  package.json`);
  return sha256(`${lines.join('\n')}\n`);
}
