import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../src/core/package-file.ts';
import { generatedPages } from './docs/pages.ts';

const pages = generatedPages();
for (const { path: relativePath, text } of pages) {
  const file = packageFile(path.join('docs', relativePath));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
// Pages of removed requirements are deleted.
const current = new Set(pages.map(({ path: relativePath }) => path.basename(relativePath)));
for (const name of readdirSync(packageFile('docs/requirements'))) {
  if (!current.has(name)) rmSync(packageFile(path.join('docs/requirements', name)));
}
process.stdout.write(`${pages.length} pages written below docs/\n`);
