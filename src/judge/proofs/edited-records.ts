import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../core/results.ts';
import { isObject } from '../../provider/json-reader.ts';

/** Records by the key of their identifier. */
export type RecordsByKey = ReadonlyMap<string, Json>;

/**
 * Whether records changed between two readings of a list: a list that is sorted by the changed member then has another
 * order. A member that differs in most records does not count as data; it may be the time of the answer.
 */
export function areEdited(one: RecordsByKey, other: RecordsByKey): boolean {
  const changes = new Map<string, number>();
  let compared = 0;
  for (const [key, before] of one) {
    const after = other.get(key);
    if (after === undefined) continue;
    compared += 1;
    for (const name of changedMembers(before, after)) changes.set(name, (changes.get(name) ?? 0) + 1);
  }
  return [...changes.values()].some((count) => count <= compared / 2);
}

function changedMembers(before: Json, after: Json): readonly string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
