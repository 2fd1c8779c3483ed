import { isDeepStrictEqual } from 'node:util';
import type { ProvenDefect, ProvenGroup, ProveResults, SweepRow } from '../core/prove-results.ts';
import { CHAPTERS } from '../core/requirement.ts';
import { fateOf, fateOfVariant } from './matrix.ts';

const DIFFICULTIES = ['plain', 'hidden', 'subtle'] as const;

/** The chapter of defects that only sequences of requests show, whatever requirement they break. */
const STATEFUL = 'stateful';

/** Counts the results: in total, by chapter of the first requirement that a defect breaks, and by difficulty. */
export function totalsOf(
  rows: Pick<ProveResults, 'defects' | 'variants' | 'combinations'>,
): ProveResults['totals'] {
  const { defects, variants, combinations } = rows;
  const chapterOf = ({ must, stateful }: ProvenDefect): string =>
    stateful === true ? STATEFUL : (must[0]?.split('/')[0] ?? '');
  const fates = (fate: string): number => variants.filter((one) => one.fate === fate).length;
  return {
    defects: groupOf('all', defects),
    chapters: [...CHAPTERS, STATEFUL].map((chapter) =>
      groupOf(
        chapter,
        defects.filter((one) => chapterOf(one) === chapter),
      ),
    ),
    difficulties: DIFFICULTIES.map((difficulty) =>
      groupOf(
        difficulty,
        defects.filter((one) => one.difficulty === difficulty),
      ),
    ),
    combinations: groupOf('combinations', combinations),
    variants: {
      total: variants.length,
      cleared: fates('cleared'),
      accused: fates('accused'),
      errors: fates('error'),
    },
  };
}

function groupOf(name: string, rows: readonly Pick<ProvenDefect, 'fate'>[]): ProvenGroup {
  const of = (fate: string): number => rows.filter((row) => row.fate === fate).length;
  return {
    name,
    total: rows.length,
    killed: of('killed'),
    escaped: of('escaped'),
    false: of('false'),
    errors: of('error'),
  };
}

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

/** Whether nothing failed falsely and, with certify, every defect was found: other suites draw page sizes. */
function isSound({ suite, planted, found, falselyFailed }: SweepRow): boolean {
  return falselyFailed.length === 0 && (suite === 'full' || found === planted);
}
