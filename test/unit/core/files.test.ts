import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRefusedError, readRegularFile } from '../../../src/core/files.ts';
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
