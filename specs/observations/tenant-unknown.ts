import { tenant } from '../../src/judge/list-departures.ts';
import { observation } from '../../src/judge/observe.ts';

export const tenantUnknown = observation({
  id: 'observe/tenant-unknown',
  clause: ['5.7'],
  of: 'What the list call gives for a tenant that nobody knows. Worth a look where it gives records.',
  advice: 'Where tenants matter, an unknown one should be given no records.',
  scope: 'list',
  asks: true,
  observe: (context) => tenant(context, `assay-${context.options.seed}`),
});
