import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..', '..');
const text = readFileSync(path.join(root, 'SECURITY.md'), 'utf8');
/** The rows of every table under a heading of the third level. */
const rows = text
  .split(/^### /m)
  .slice(1)
  .flatMap((part) =>
    part
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2),
  );

describe('every promise that SECURITY.md lists', () => {
  it.each(rows)('names a test file that exists: %s', (row) => {
    const files = [...row.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('is one of at least twenty', () => {
    expect(rows.length).toBeGreaterThanOrEqual(20);
  });
});
