import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { describeSystemError } from '../../core/system-error.ts';
import { UsageError } from '../command.ts';

/** Writes a file; one that is not written as a whole, as on a full disk, is not left behind. Throws UsageError. */
export function writeNewFile(
  file: string,
  content: string,
  options: { mode?: number; flag?: string } = {},
): void {
  const existed = existsSync(file);
  try {
    writeFileSync(file, content, options);
  } catch (error) {
    if (!existed && existsSync(file)) rmSync(file);
    throw new UsageError(`${file} cannot be written: ${describeSystemError(error)}`);
  }
}
