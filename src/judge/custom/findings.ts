import { Undecided } from '../../core/undecided.ts';
import { Violation } from '../violation.ts';
import type { Breach, Findings } from './check-types.ts';

/**
 * Findings of one attempt at a check.
 *
 * @param exercised called for each expectation
 * @param last the number of the last exchange; null if there is none yet
 */
export function findingsOf(exercised: () => void, last: () => number | null): Findings {
  return {
    expect: (holds, breach) => {
      exercised();
      if (holds) return;
      const { message, answers, ...rest }: Breach = typeof breach === 'string' ? { message: breach } : breach;
      const asked = last();
      const exchanges = answers?.map(({ exchange }) => exchange) ?? (asked === null ? [] : [asked]);
      throw new Violation({ expected: null, actual: null, ...rest, message, exchanges });
    },
    inconclusive: (reason) => {
      throw new Undecided({ kind: 'data', needs: 'other data', records: null }, reason);
    },
    skip: (reason) => {
      throw new Undecided({ kind: 'unselected' }, reason);
    },
  };
}
