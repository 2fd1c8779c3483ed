import { expect, test } from 'vitest';
import { summaryOf, targetOf } from '../../../src/cli/mock/action.ts';
import { openMock } from '../../support/judge-mock.ts';

test('the target file of a mock names each list once, also where paths end alike', async () => {
  const resources = ['/v1/printers', '/v2/printers', '/'].map((path) => ({ path }));
  const chosen = { resources, records: 3, defects: [], clockRate: 1 };
  expect(targetOf(await openMock({ records: 3, resources }), chosen, null)).toMatchObject({
    resources: [{ name: 'printers' }, { name: 'list-2' }, { name: 'list-3' }],
  });
});

test.each([
  { resources: undefined, summary: '100 records' },
  { resources: [{ path: '/v1/printers', records: 20 }], summary: '20 records' },
  { resources: [{ path: '/a', records: 20 }, { path: '/b' }], summary: '120 records in 2 lists' },
])('a mock with the lists $resources says how many records it serves', ({ resources, summary }) => {
  const lists = resources === undefined ? {} : { resources };
  expect(summaryOf({ ...lists, records: 100, defects: [], clockRate: 1 })).toBe(summary);
});
