import type { ProveResults, ReportedVerdict } from '../../core/prove-results.ts';
import { visible } from '../safe-text.ts';
import { aligned } from './columns.ts';

/**
 * The matrix that `assay prove` prints: a line for each defect with what became of it, the requirements that named it
 * and those that failed beside them, then a line for each variant, then one for each combination. Ends with a line
 * break; empty where nothing of these was judged.
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

function ids(told: readonly ReportedVerdict[]): string {
  return visible([...new Set(told.map(({ requirement }) => requirement))].join(', '));
}
