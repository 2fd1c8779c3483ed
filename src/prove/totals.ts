import type { ProvenDefect, ProvenGroup, ProveResults } from '../core/prove-results.ts';
import { CHAPTERS } from '../core/requirement.ts';

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
