import type { ProveResults, ReportedVerdict } from '../../core/prove-results.ts';
import { visible } from '../safe-text.ts';
import { aligned } from '../text-columns.ts';

/**
 * The matrix that `assay prove` prints: one line per defect (its result, the requirements that found it,
 * further failures), then one per variant and one per combination. Ends with a line break; empty if nothing
 * was tested.
 */
export function renderProveMatrix({ defects, variants, combinations }: ProveResults): string {
  const lines = [
    ...aligned(
      defects.map(({ id, fate, killedBy, alsoFailed }) => [
        fate,
        visible(id),
        [ids(killedBy), ...(alsoFailed.length === 0 ? [] : [`also ${ids(alsoFailed)}`])].join('; '),
      ]),
    ),
    ...aligned(variants.map(({ id, fate, failed }) => [fate, visible(id), ids(failed)])),
    ...combinations.map(({ id, fate, killedBy, masked }) => {
      const hidden = masked.map(
        ({ defect, requirement, why }) => `${requirement} of ${defect} hidden: ${why}`,
      );
      return visible([`${fate}  ${id}  ${killedBy.join(', ')}`, ...hidden].join('; '));
    }),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function ids(verdicts: readonly ReportedVerdict[]): string {
  return visible([...new Set(verdicts.map(({ requirement }) => requirement))].join(', '));
}
