import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: (() => void) | null = null;

/**
 * Gives back at once what nobody refers to any more. For bodies of many megabytes only: it takes some tens of
 * milliseconds, but left to itself the engine lets several of them lie before it looks.
 */
export function collectGarbage(): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
