import { told } from '../../src/judge/list-departures.ts';
import { observation } from '../../src/judge/observe.ts';

export const unknownParameter = observation({
  id: 'observe/unknown-parameter',
  clause: ['4.2'],
  of: 'What a query parameter that nobody knows does, with a $ and without one.',
  advice: null,
  scope: 'list',
  asks: true,
  observe: (context) => told(context, ['$assay=1', 'assay=1'], () => 'ignored'),
});
