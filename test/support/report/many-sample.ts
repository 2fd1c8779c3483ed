import type { Results, TargetResult } from '../../../src/core/results.ts';
import { HOSTILE, hostile, judged, mixed, results, target } from './sample.ts';

/** A run of 40 targets: some broken, some unreachable, most conformant. */
export function many(): Results {
  const [first] = mixed().targets;
  if (first === undefined) throw new Error('the sample has a target');
  const unreachable = (name: string): TargetResult =>
    target([judged('token/issued', 'error', { reason: 'the connection was reset' })], { name });
  return results(
    Array.from({ length: 40 }, (_none, index) => {
      const name = `vendor-${String(index).padStart(2, '0')}`;
      if (index % 10 === 3) return { ...first, name, requirements: structuredClone(first.requirements) };
      return index === 7 ? unreachable(name) : target([judged('token/issued', 'pass')], { name });
    }),
  );
}

/** A run of many targets with hostile text in every field. */
export function hostileMany(): Results {
  const [first] = hostile().targets;
  if (first === undefined) throw new Error('the sample has a target');
  return results(
    Array.from({ length: 30 }, (_none, index) => ({
      ...first,
      name: `${index} ${HOSTILE}`,
      requirements: structuredClone(first.requirements),
    })),
    { command: HOSTILE },
  );
}
