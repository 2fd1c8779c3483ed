import { isDeepStrictEqual } from 'node:util';
import type { ProvenDefect, ProveResults, SweepRow } from '../core/prove-results.ts';
import { fateOf, fateOfVariant } from './matrix.ts';
import { totalsOf } from './totals.ts';

/** Whether a proof shows what it is to show: no defect escaped, nothing failed falsely and no variant was accused. */
export function isProven(
  complete: boolean,
  { defects, combinations, variants }: ProveResults['totals'],
  sweep: readonly SweepRow[],
): boolean {
  return (
    complete &&
    defects.killed === defects.total &&
    combinations.killed === combinations.total &&
    variants.cleared === variants.total &&
    sweep.every(isSound)
  );
}

/**
 * Where a proof contradicts itself, as half a sentence: a fate that does not follow from its row, totals that do not
 * follow from the fates, or a conclusion that does not follow from the totals. Null where it does not.
 */
export function findContradiction(results: ProveResults): string | null {
  const { defects, combinations, variants, totals, run, sweep, proven } = results;
  const row =
    [...defects, ...combinations].find((one) => one.fate !== fateOf(one)) ??
    variants.find((one) => one.fate !== fateOfVariant(one)) ??
    defects.find((one) => !accountsForAll(one));
  if (row !== undefined) return `the fate of ${row.id} does not follow from its row`;
  if (!isDeepStrictEqual(totals, totalsOf(results))) return 'its totals do not follow from its rows';
  return proven === isProven(run.complete, totals, sweep) ? null : 'it is not as proven as it says';
}

/** Whether every requirement that a defect breaks has failed, or is told to have escaped. */
function accountsForAll({ must, killedBy, escaped }: ProvenDefect): boolean {
  const told = new Set([...killedBy, ...escaped].map(({ requirement }) => requirement));
  return must.every((requirement) => told.has(requirement));
}

/** Whether every size that is tried is found, certify tries all, and nothing is found that is not there. */
function isSound({ suite, planted, tried, found, falselyFailed }: SweepRow): boolean {
  return falselyFailed.length === 0 && found === tried && (suite === 'full' || found === planted);
}
