import { expect, it } from 'vitest';
import { KnownRecords } from '../../../src/provider/known-records.ts';
import type { Page } from '../../../src/provider/page.ts';
import { unusedTarget as target } from '../../support/unused-target.ts';

it.each([
  ['/v1/units?$count=true&$pagesize=1', 'acme', 1],
  ['/v1/printers?$count=true&$pagesize=1', 'acme', 0],
  ['/v1/unit?$count=true&$pagesize=1', 'acme', 0],
  ['/v1/units?$count=true&$pagesize=1', 'unknown', 0],
])('keeps pages of its own list and tenant only (%s, %s)', (requested, tenant, kept) => {
  const records = new KnownRecords(
    { name: 'units', path: '/v1/units', itemSchema: 'printer', idField: 'id' },
    '/v1/units',
    { ...target, tenant: 'acme' },
  );
  const page = { target: requested, itemCount: 1, count: 3, identities: new BigUint64Array(1) };
  records.notePage(page as unknown as Page, {
    method: 'GET',
    origin: 'http://127.0.0.1:9',
    target: requested,
    headers: [
      ['Accept', 'application/json'],
      ['Tenant', tenant],
      ['Authorization', 'Bearer unused'],
    ],
    body: null,
  });
  expect(records.pages).toHaveLength(kept);
  expect(records.counts === null).toBe(kept === 0);
});
