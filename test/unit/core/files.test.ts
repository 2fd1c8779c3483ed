import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRefusedError, makeFolder, readRegularFile } from '../../../src/core/files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('readRegularFile', () => {
  const file = path.join(temporaryFolder('regular-file'), 'file');

  it('reads as many bytes as are allowed', () => {
    writeFileSync(file, 'x'.repeat(70_000));
    expect(readRegularFile(file, 70_000).toString()).toBe('x'.repeat(70_000));
    expect(() => readRegularFile(file, 69_999)).toThrow(FileRefusedError);
  });

  // Its stated size is 0.
  it.skipIf(!existsSync('/proc/self/status'))('counts the bytes that a file of the system gives', () => {
    expect(() => readRegularFile('/proc/self/status', 10)).toThrow(FileRefusedError);
  });
});

describe('makeFolder', () => {
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
});
