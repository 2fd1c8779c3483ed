import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isSealed } from '../../evidence/seal/manifest-renewal.ts';
import { UsageError } from '../shared/usage-error.ts';

/**
 * The folder that a finished run is rendered into: --out, or else the folder of the run. A report about one target must
 * not replace that of the run, and nothing may be added to a signed run: both go to a folder next to it.
 *
 * @param target the only target that is shown; null for all
 * @throws UsageError if the folder in --out is a run that must not change
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

/** Whether two paths lead to the same folder; the second must exist. */
export function isSame(named: string, folder: string): boolean {
  return existsSync(named) && realpathSync(named) === realpathSync(folder);
}
