import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..', '..');

it('docs/architecture.md lists every file of src/judge/proofs, in alphabetical order', () => {
  const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Proofs of breaches'));
  const listed = [...(section ?? '').matchAll(/^\| ([a-z-]+) \|/gm)].map(([, name]) => name);
  const files = readdirSync(path.join(root, 'src/judge/proofs')).map((name) => path.basename(name, '.ts'));
  expect(listed).toEqual(files.sort());
});
