import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../src/core/files.ts';

it('makes the folders above a folder, and leaves those that exist', () => {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'assay-')), 'a', 'b');
  makeFolder(folder);
  makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
});

it('throws where a file is in the way', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'assay-')), 'file');
  writeFileSync(file, '');
  for (const folder of [file, path.join(file, 'below')]) expect(() => makeFolder(folder)).toThrow();
});

it.runIf(existsSync('/proc/self'))('throws where a file system allows no folders', () => {
  expect(() => makeFolder('/proc/none/below')).toThrow();
});
