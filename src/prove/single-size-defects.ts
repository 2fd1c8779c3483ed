import { SWEEP_KINDS, type SweepKind, sweepDefect } from '../mock/index.ts';
import { randomGenerator } from './random-generator.ts';
import type { TrialResult } from './trial.ts';

/** A defect that shows at one page size only. */
export interface SizeDefect {
  readonly kind: SweepKind;
  readonly size: number;
  readonly id: string;
  /** The requirement that must fail. */
  readonly requirement: string;
}

/** All of them: each kind at each page size from 1 to 500. */
export const SIZE_DEFECTS: readonly SizeDefect[] = SWEEP_KINDS.flatMap((kind) =>
  Array.from({ length: 500 }, (_none, index) => index + 1)
    // A page of one record cannot have one record less.
    .filter((size) => kind !== 'filled' || size > 1)
    .map((size) => {
      const { id, must } = sweepDefect(kind, size);
      return { kind, size, id, requirement: must[0] ?? '' };
    }),
);

/** The requirement that finds defects of that kind. */
export function requirementOf(kind: SweepKind): string {
  return SIZE_DEFECTS.find((defect) => defect.kind === kind)?.requirement ?? '';
}

/**
 * Distributes defects to as few providers as possible, without two of the same kind or size in one provider, so
 * that the check of one defect does not see the others.
 */
export function groupSizeDefects(
  defects: readonly SizeDefect[],
  seed: number,
): readonly (readonly SizeDefect[])[] {
  const random = randomGenerator(seed);
  const shuffled = defects
    .map((defect) => ({ defect, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ defect }) => defect);
  const groups: SizeDefect[][] = [];
  for (const defect of shuffled) {
    const group = groups.find((one) =>
      one.every(({ kind, size }) => kind !== defect.kind && size !== defect.size),
    );
    if (group === undefined) groups.push([defect]);
    else group.push(defect);
  }
  return groups;
}

/** Whether the requirement of the defect failed at its page size; not in a trial that has no result. */
export function isFound(defect: SizeDefect, result: TrialResult | null): boolean {
  return (
    result?.verdicts.some(
      ({ requirement, verdict, pageSizes }) =>
        requirement === defect.requirement && verdict === 'fail' && includesSize(pageSizes, defect.size),
    ) === true
  );
}

// 500 is also the default page size, so the violation may not contain it.
function includesSize(pageSizes: readonly number[], size: number): boolean {
  return size === 500 || pageSizes.includes(size);
}

/** Failures and errors that no defect of the provider explains, as kind and size. */
export function unexpectedFailures(
  group: readonly SizeDefect[],
  result: TrialResult,
): readonly Pick<SizeDefect, 'kind' | 'size'>[] {
  const wrong = result.verdicts.flatMap(({ requirement, verdict, pageSizes }) => {
    if (verdict !== 'fail' && verdict !== 'error') return [];
    const own = group.filter((one) => one.requirement === requirement);
    if (verdict === 'fail' && own.some((defect) => isFound(defect, result))) return [];
    const kind = SWEEP_KINDS.find((one) => requirementOf(one) === requirement);
    // Other requirements may fail as a consequence.
    if (kind === undefined) return [];
    return [{ kind, size: pageSizes[0] ?? group[0]?.size ?? 1 }];
  });
  if (result.broken === null) return wrong;
  return [...wrong, { kind: group[0]?.kind ?? 'limit', size: group[0]?.size ?? 1 }];
}
