import type { Suite } from '../../core/results.ts';
import type { Arguments } from '../command.ts';
import { flag } from './arguments.ts';
import type { Tolerance } from './exit-status.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads `--strict` and `--allow-inconclusive`; a certification is always strict.
 *
 * @throws UsageError if they contradict each other
 */
export function readTolerance(args: Arguments, suite: Suite): Tolerance {
  const strict = flag(args, 'strict');
  const allowInconclusive = flag(args, 'allow-inconclusive');
  if (allowInconclusive && strict)
    throw new UsageError('--allow-inconclusive contradicts --strict: leave one out');
  if (allowInconclusive && suite === 'certify')
    throw new UsageError('a certification tests every requirement: leave out --allow-inconclusive');
  return { strict: strict || suite === 'certify', allowInconclusive };
}
