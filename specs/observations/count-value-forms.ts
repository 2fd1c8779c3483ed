import { COUNT_FORMS, observeVariations } from '../../src/judge/list-variations.ts';
import { observation } from '../../src/judge/observation.ts';

export const countValueForms = observation({
  id: 'observe/count-value-forms',
  clause: ['4.2'],
  of: 'What $count does if it is TRUE, True, 1, yes, empty, or given twice.',
  advice: null,
  scope: 'list',
  asks: true,
  observe: (context) =>
    observeVariations(context, COUNT_FORMS, (page) => (page.count === undefined ? 'no count' : 'the count')),
});
