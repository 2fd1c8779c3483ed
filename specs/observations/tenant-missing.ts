import { observation } from '../../src/judge/observation.ts';
import { observeTenant } from '../../src/judge/probes/list-variations.ts';

export const tenantMissing = observation({
  id: 'observe/tenant-missing',
  clause: ['5.7'],
  of: 'What the list call returns without the Tenant header.',
  scope: 'list',
  sendsRequests: true,
  observe: (context) =>
    context.target.tenant === null
      ? { value: 'the target file names no tenant, so no request has one' }
      : observeTenant(context, null),
});
