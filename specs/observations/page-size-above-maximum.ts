import { observation } from '../../src/judge/observation.ts';
import { countValues, listByFrequency, parameterIn } from '../../src/judge/observation-summary.ts';

export const pageSizeAboveMaximum = observation({
  id: 'observe/page-size-above-maximum',
  clause: ['8'],
  of: 'Whether a $pagesize above 500 is capped at 500, refused, or something else.',
  advice: null,
  scope: 'list',
  asks: false,
  observe: ({ snapshots }) => {
    const above = snapshots
      .at(0)
      .answers()
      .filter(({ target }) => isAboveMaximum(parameterIn(target, '$pagesize') ?? ''));
    if (above.length === 0) return null;
    const outcomes = countValues(
      above.map((answer) =>
        answer.kind === 'page'
          ? answer.itemCount > 500
            ? 'more than 500 given'
            : answer.itemCount === 500
              ? 'capped at 500'
              : `${answer.itemCount} given`
          : `refused with ${answer.status}`,
      ),
    );
    return {
      value: listByFrequency(outcomes),
      detail: { outcomes },
      exchanges: above.map(({ exchange }) => exchange),
    };
  },
});

/** Other texts, such as 1e3, may be refused for their form. */
function isAboveMaximum(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) > 500;
}
