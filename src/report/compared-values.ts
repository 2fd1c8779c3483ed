import type { Json, ViolationRecord } from '../core/results.ts';

/** The expected and the actual value of a violation, if given. */
export interface ComparedValues {
  readonly expected?: Json;
  readonly actual?: Json;
}

/**
 * The values that a report shows with the message. A custom check may omit them, which results.json records
 * as null. No rule expects null, so an expected null means omitted; an actual null counts if something was
 * expected.
 */
export function comparedValues({
  expected,
  actual,
}: Pick<ViolationRecord, 'expected' | 'actual'>): ComparedValues {
  if (expected !== null) return { expected, actual };
  return actual === null ? {} : { actual };
}
