import { didYouMean } from '../../core/suggestion.ts';
import { defects, findDefect, SWEEP_KINDS } from '../../mock/index.ts';

/** The names of the defects of `assay prove --sweep`, which are not listed one by one. */
export const SWEEP_NAMES = `${SWEEP_KINDS.map((kind) => `sweep-${kind}-at-SIZE`).join(', ')}, with SIZE from 1 to 500 (filled: from 2)`;

/** The end of a sentence about an unknown defect; null if the defect exists. */
export function defectHint(id: string): string | null {
  try {
    findDefect(id);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  if (id.startsWith('sweep-')) return `; the defects for a single page size are ${SWEEP_NAMES}`;
  const known = defects.map((defect) => defect.id);
  return didYouMean(id, known) || '; assay mock --list-defects lists them';
}
