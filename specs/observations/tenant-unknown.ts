import { observation } from '../../src/judge/observation.ts';
import { observeTenant } from '../../src/judge/probes/list-variations.ts';

export const tenantUnknown = observation({
  id: 'observe/tenant-unknown',
  clause: ['5.7'],
  of: 'What the list call returns for an unknown tenant. Needs attention if it returns records.',
  advice: 'A provider with tenants should return no records for an unknown one.',
  scope: 'list',
  sendsRequests: true,
  observe: (context) => observeTenant(context, `assay-${context.options.seed}`),
});
