import { recordCount } from '../../src/core/number-format.ts';
import { countValues, listByFrequency, observation } from '../../src/judge/observation.ts';
import { refusesCaller } from '../../src/judge/probes/expected-page.ts';
import { describeRefusal } from '../../src/judge/probes/list-variations.ts';
import { hasParameter, parametersOf } from '../../src/provider/link.ts';

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
          asksForMore(target) && !hasParameter(target, '$skip') && !refusesCaller({ status }),
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

/**
 * Whether a request target asks for a page size above the maximum, once. Other texts, such as 1e3, may be refused for their
 * form, and a second size, also under a name such as $PageSize, may be the one that counts.
 */
function asksForMore(target: string): boolean {
  const [size, ...others] = parametersOf(target).filter(({ name }) => /pagesize/i.test(name));
  return (
    size?.name === '$pagesize' && others.length === 0 && /^\d+$/.test(size.value) && Number(size.value) > 500
  );
}
