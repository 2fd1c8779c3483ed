import { recordCount } from '../../src/core/number-format.ts';
import { observation, parameterIn } from '../../src/judge/observation.ts';
import {
  firstPage,
  hasRequestedRecords,
  observeVariations,
  UNKNOWN_PARAMETERS,
} from '../../src/judge/probes/list-variations.ts';
import { sameIdentities } from '../../src/provider/identity.ts';

export const unknownParameter = observation({
  id: 'observe/unknown-parameter',
  clause: ['4.2'],
  of: 'What an unknown query parameter does, with and without a $, also one that is spelled like a page size.',
  scope: 'list',
  sendsRequests: true,
  observe: async (context) => {
    const control = await firstPage(context.snapshots.at(0));
    if (control.kind !== 'page') return { value: 'not observed: the first page is unknown' };
    let isOther = false;
    const observed = await observeVariations(context, UNKNOWN_PARAMETERS, (page) => {
      if (hasRequestedRecords(page, control)) return 'ignored';
      isOther = true;
      const isCounted = page.itemCount !== Number(parameterIn(page.target, '$pagesize'));
      return isCounted ? `${recordCount(page.itemCount)} instead of the requested number` : 'other records';
    });
    if (!isOther) return observed;
    const later = await context.list.authorized(control.target);
    if (later.kind === 'page' && sameIdentities(later.identities, control.identities)) return observed;
    return { value: 'not observed: the first page has changed', exchanges: observed.exchanges ?? [] };
  },
});
