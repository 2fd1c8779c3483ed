import type { Json, ViolationRecord } from '../core/results.ts';

/** The expected and the actual value of a violation, each as far as it was given. */
export interface ComparedValues {
  readonly expected?: Json;
  readonly actual?: Json;
}

/**
 * The values that a report shows beside the message. A check of the user may give none: results.json has null for
 * them. No rule expects null, so an expected null was left out; an actual null is a finding if something was expected.
 */
export function comparedValues({
  expected,
  actual,
}: Pick<ViolationRecord, 'expected' | 'actual'>): ComparedValues {
  if (expected !== null) return { expected, actual };
  return actual === null ? {} : { actual };
}
