import { isDeepStrictEqual } from 'node:util';
import type { ProvenDefect, ProveResults, SweepRow } from '../core/prove-results.ts';
import { fateOf, fateOfVariant } from './matrix.ts';
import { totalsOf } from './totals.ts';

/** Whether a proof succeeded: no defect escaped, nothing failed falsely and no variant was accused. */
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
 * The first contradiction in a proof, as a clause: between a fate and its row, totals and rows, or `proven` and the
 * totals. Null if it is consistent.
 */
export function findContradiction(results: ProveResults): string | null {
  const { defects, combinations, variants, totals, run, sweep, proven } = results;
  const row =
    [...defects, ...combinations].find((one) => one.fate !== fateOf(one)) ??
    variants.find((one) => one.fate !== fateOfVariant(one)) ??
    defects.find((one) => !accountsForAll(one));
  if (row !== undefined) return `the fate of ${row.id} does not follow from its row`;
  if (!isDeepStrictEqual(totals, totalsOf(results))) return 'its totals do not follow from its rows';
  return proven === isProven(run.complete, totals, sweep)
    ? null
    : 'its conclusion does not follow from its totals';
}

/** Whether every requirement that a defect breaks is listed as failed or as escaped. */
function accountsForAll({ must, killedBy, escaped }: ProvenDefect): boolean {
  const accounted = new Set([...killedBy, ...escaped].map(({ requirement }) => requirement));
  return must.every((requirement) => accounted.has(requirement));
}

/** Whether every tested size is found, certify tests all sizes, and nothing failed falsely. */
function isSound({ suite, planted, tried, found, falselyFailed }: SweepRow): boolean {
  return falselyFailed.length === 0 && found === tried && (suite === 'full' || found === planted);
}
