import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Records from which it pays: what fewer leave behind is small beside Node itself. */
const MANY = 100_000;

/**
 * Has memory collected that a long walk leaves behind, so that the report is not made on top of it: the numbers of a
 * million records are few objects, and V8 would not look for them yet. Does nothing where the runtime cannot.
 */
export function letGo(records: number): void {
  if (records < MANY) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  if (typeof collect === 'function') collect();
}
