import { observation, parameterIn } from '../../src/judge/observation.ts';
import { COUNT_FORMS, firstPage, observeVariations } from '../../src/judge/probes/list-variations.ts';

export const countValueForms = observation({
  id: 'observe/count-value-forms',
  clause: ['4.2'],
  of: 'What $count does if it is TRUE, True, 1, yes, empty, or given twice.',
  scope: 'list',
  sendsRequests: true,
  observe: async (context) => {
    const snapshot = context.snapshots.at(0);
    const counted = await firstPage(snapshot);
    if (counted.kind !== 'page' || counted.count === undefined)
      return { value: 'not observed: $count=true gives no count either', exchanges: [counted.exchange] };
    const uncounted = snapshot
      .pages()
      .find(({ target, count }) => count !== undefined && parameterIn(target, '$count') === null);
    if (uncounted !== undefined)
      return {
        value: 'not observed: a count is given without $count as well',
        exchanges: [uncounted.exchange],
      };
    return observeVariations(context, COUNT_FORMS, (page) =>
      page.count === undefined ? 'no count' : 'the count',
    );
  },
});
