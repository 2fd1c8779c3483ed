import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const secrets =
  readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
    .split(/^### /m)
    .find((part) => part.startsWith('Secrets')) ?? '';
const rows = secrets
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2);

describe('every promise about secrets in SECURITY.md', () => {
  it.each(rows)('names a test file that exists: %s', (row) => {
    const files = [...row.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('is one of at least ten', () => {
    expect(rows.length).toBeGreaterThanOrEqual(10);
  });
});
