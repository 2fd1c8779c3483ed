import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isSealed } from '../evidence/seal/manifest-renewal.ts';
import { UsageError } from './usage-error.ts';

/**
 * The folder that a finished run is rendered into: the one that is named, or else the run's own. What shows one target
 * must not take the place of what shows the run, nor may anything be added to what is signed: both go beside it.
 *
 * @param target the target that is shown alone; null for all of them
 * @throws UsageError where the folder named is a run that is not to be touched
 */
export async function reportPlace(run: string, named: string | null, target: string | null): Promise<string> {
  const sealed = await isSealed(run);
  if (named === null) {
    const beside = target ?? (sealed ? 'report' : null);
    return beside === null ? run : `${path.resolve(run)}-${beside.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}`;
  }
  if (isSame(named, run)) {
    if (!sealed) return named;
    throw new UsageError(
      `--out ${named} is the folder of the run, which is signed: nothing can be added to it; name another`,
    );
  }
  if (!existsSync(path.join(named, 'results.json'))) return named;
  throw new UsageError(
    `--out ${named} holds another run, whose files these would replace; name another folder`,
  );
}

/** Whether two names, of which the second is there, are those of one folder. */
export function isSame(named: string, folder: string): boolean {
  return existsSync(named) && realpathSync(named) === realpathSync(folder);
}
