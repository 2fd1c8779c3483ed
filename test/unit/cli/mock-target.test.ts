import { expect, test } from 'vitest';
import { targetOf } from '../../../src/cli/mock/action.ts';
import { openMock } from '../../support/judge-mock.ts';

test('the target file of a mock names each list once, also where paths end alike', async () => {
  const resources = ['/v1/printers', '/v2/printers', '/'].map((path) => ({ path }));
  const chosen = { resources, records: 3, defects: [], clockRate: 1 };
  expect(targetOf(await openMock({ records: 3, resources }), chosen, null)).toMatchObject({
    resources: [{ name: 'printers' }, { name: 'list-2' }, { name: 'list-3' }],
  });
});
