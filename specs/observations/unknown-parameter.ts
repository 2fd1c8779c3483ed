import { firstRecord, hasSameRecords, observeVariations } from '../../src/judge/list-variations.ts';
import { observation } from '../../src/judge/observation.ts';

export const unknownParameter = observation({
  id: 'observe/unknown-parameter',
  clause: ['4.2'],
  of: 'What an unknown query parameter does, with and without a $.',
  advice: null,
  scope: 'list',
  asks: true,
  observe: async (context) => {
    const control = await firstRecord(context.snapshots.at(0));
    return observeVariations(context, ['$assay=1', 'assay=1'], (page) =>
      control.kind === 'page' && hasSameRecords(page, control) ? 'ignored' : 'other records',
    );
  },
});
