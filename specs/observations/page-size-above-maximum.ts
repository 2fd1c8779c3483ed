import { recordCount } from '../../src/core/number-format.ts';
import { countValues, listByFrequency, observation, parameterIn } from '../../src/judge/observation.ts';
import { refusesCaller } from '../../src/judge/probes/expected-page.ts';
import { describeRefusal } from '../../src/judge/probes/list-variations.ts';

export const pageSizeAboveMaximum = observation({
  id: 'observe/page-size-above-maximum',
  clause: ['8'],
  of: 'Whether a $pagesize above 500 is capped at 500, refused, or something else.',
  scope: 'list',
  observe: ({ snapshots }) => {
    const snapshot = snapshots.at(0);
    // A page from within the list may be short because the list ends, and a refused token says nothing about sizes.
    const above = snapshot
      .answers()
      .filter(
        ({ target, status }) =>
          isAboveMaximum(parameterIn(target, '$pagesize') ?? '') &&
          parameterIn(target, '$skip') === null &&
          !refusesCaller({ status }),
      );
    if (above.length === 0) return null;
    const plain = snapshot.pages().find(({ target }) => target === snapshot.targetOf({}));
    const isShort = plain !== undefined && plain.itemCount < 500;
    if (isShort && above.some((answer) => answer.kind === 'page' && answer.itemCount === plain.itemCount))
      return {
        value: `not observed: without $pagesize the page has ${recordCount(plain.itemCount)} as well`,
      };
    const outcomes = countValues(
      above.map((answer) =>
        answer.kind === 'page'
          ? answer.itemCount > 500
            ? 'more than 500 given'
            : answer.itemCount === 500
              ? 'capped at 500'
              : `${answer.itemCount} given`
          : describeRefusal(answer),
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
