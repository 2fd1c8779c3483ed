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
    if (control.kind !== 'page') return { value: 'not observed: the first record is unknown' };
    let isOther = false;
    const observed = await observeVariations(context, ['$assay=1', 'assay=1'], (page) => {
      if (hasSameRecords(page, control)) return 'ignored';
      isOther = true;
      return 'other records';
    });
    if (!isOther) return observed;
    const later = await context.list.authorized(control.target);
    if (later.kind === 'page' && hasSameRecords(later, control)) return observed;
    return { value: 'not observed: the first record has changed', exchanges: observed.exchanges ?? [] };
  },
});
