import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

let collector: Collect | null = null;
let steady = false;

/**
 * Gives back at once what nobody refers to any more. For bodies of many megabytes only: it takes some tens of
 * milliseconds, but left to itself the engine lets several of them lie before it looks.
 */
export function collectGarbage(): void {
  collect()();
}

/**
 * Gives back what was made lately and nobody refers to any more; takes a millisecond or two. Whoever calls this does so
 * again and again: room for what is made lately, which the engine would double time and again, grows no further.
 */
export function collectYoungGarbage(): void {
  keepYoungSpaceSteady();
  collect()({ type: 'minor' });
}

function collect(): Collect {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as Collect;
  }
  return collector;
}

/** The engine's option by which the room for new objects stays as large as it is. */
export const STEADY_YOUNG_SPACE = '--semi-space-growth-factor=1';

/**
 * Keeps the room for new objects from growing any more, for the whole process. A run makes objects and drops them page
 * after page: more room costs tens of megabytes, bodies that lie there uncollected included, and saves no time.
 */
export function keepYoungSpaceSteady(): void {
  if (!steady) setFlagsFromString(STEADY_YOUNG_SPACE);
  steady = true;
}
