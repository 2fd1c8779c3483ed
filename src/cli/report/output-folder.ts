import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isSealed } from '../../evidence/seal/manifest-renewal.ts';
import { UsageError } from '../shared/usage-error.ts';

/**
 * The folder for the rendered files: --out, or else the folder of the run. A report about one target must not
 * replace the report of the run, and a signed run must not change: both use a folder next to the run.
 *
 * @param target the only target to show; null for all
 * @throws UsageError if --out is a run that must not change
 */
export async function outputFolder(
  run: string,
  named: string | null,
  target: string | null,
): Promise<string> {
  const sealed = await isSealed(run);
  if (named === null) {
    const suffix = target ?? (sealed ? 'report' : null);
    return suffix === null ? run : `${path.resolve(run)}-${suffix.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}`;
  }
  if (isSame(named, run)) {
    if (!sealed) return named;
    throw new UsageError(
      `--out ${named} is the folder of the run, which is signed, so nothing can be added; choose another`,
    );
  }
  if (!existsSync(path.join(named, 'results.json'))) return named;
  throw new UsageError(`--out ${named} contains another run, whose files would be replaced; choose another`);
}

/** Whether two paths are the same folder; the second must exist. */
export function isSame(named: string, folder: string): boolean {
  return existsSync(named) && realpathSync(named) === realpathSync(folder);
}
