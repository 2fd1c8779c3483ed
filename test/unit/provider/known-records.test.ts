import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { CallLog } from '../../../src/provider/call-log.ts';
import { identitiesOf } from '../../../src/provider/identity.ts';
import { KnownRecords } from '../../../src/provider/known-records.ts';
import type { Page } from '../../../src/provider/page.ts';
import { PageLog } from '../../../src/provider/page-log.ts';
import { unusedTarget as target } from '../../support/unused-target.ts';

it.each([
  ['/v1/units?$count=true&$pagesize=1', 'acme', 1],
  ['/v1/printers?$count=true&$pagesize=1', 'acme', 0],
  ['/v1/unit?$count=true&$pagesize=1', 'acme', 0],
  ['/v1/units?$count=true&$pagesize=1', 'unknown', 0],
])('keeps pages of its own list and tenant only (%s, %s)', (requested, tenant, kept) => {
  const calls = new CallLog();
  calls.note({
    number: 1,
    request: { target: requested },
    startedAt: 0,
    durationMs: 1,
  } as unknown as Exchange);
  const pages = new PageLog('/v1/units', { tenant: 'acme' }, calls);
  const page = { exchange: 1, target: requested, itemCount: 1, count: 3, identities: new BigUint64Array(1) };
  pages.note(page as unknown as Page, {
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
  expect(pages.usual).toHaveLength(kept);
  expect(pages.counts === null).toBe(kept === 0);
});

it.each([
  [401, 'unit-1', 1],
  [401, 'E401', 0],
  // Only a refusal needs an identifier that the list gave.
  [200, 'E401', 1],
  [202, 'E401', 1],
])('with status %i an item like a record, with the identifier %s, gives %i records', (status, id, given) => {
  const requested = '/v1/units?$count=true&$pagesize=1';
  const pages = new PageLog('/v1/units', target, new CallLog());
  const units = { name: 'units', path: '/v1/units', itemSchema: 'printer', idField: 'id' } as const;
  const records = new KnownRecords(units, target, pages);
  const exchangeOf = (item: object, answered: number) =>
    ({
      answer: { status: answered, headers: [], body: Buffer.from(JSON.stringify([item])) },
    }) as unknown as Exchange;
  const page = { target: requested, itemCount: 1, count: 3, identities: identitiesOf(['unit-1']) };
  pages.note(page as unknown as Page, null);
  records.remember(exchangeOf({ id: 'unit-1', displayName: 'Unit 1', agent: 'north' }, 200));
  const found = records.findIn(exchangeOf({ id, displayName: 'Unauthorized', agent: 'gateway' }, status));
  expect(found).toBe(given === 1 ? '1 record' : null);
});

it.each([
  [401, ['7', '8'], false],
  [200, ['7', '8'], true],
  [401, ['unit-07', 'unit-08'], true],
  [200, ['unit-07', 'unit-99'], false],
])(
  'with status %i items that have an identifier alone, %j, are records: %s',
  (status, identifiers, areRecords) => {
    const pages = new PageLog('/v1/units', target, new CallLog());
    const units = { name: 'units', path: '/v1/units', itemSchema: 'printer', idField: 'id' } as const;
    const records = new KnownRecords(units, target, pages);
    const exchangeOf = (items: readonly object[], answered: number) =>
      ({
        answer: { status: answered, headers: [], body: Buffer.from(JSON.stringify({ items })) },
      }) as unknown as Exchange;
    const known = ['7', '8', 'unit-07', 'unit-08'];
    const page = {
      target: '/v1/units?$count=true&$pagesize=4',
      itemCount: 4,
      count: 4,
      identities: identitiesOf(known),
    };
    pages.note(page as unknown as Page, null);
    records.remember(
      exchangeOf(
        known.map((id) => ({ id, displayName: `Unit ${id}`, agent: 'north' })),
        200,
      ),
    );
    const found = records.findIn(
      exchangeOf(
        identifiers.map((id) => ({ id })),
        status,
      ),
    );
    expect(found !== null).toBe(areRecords);
  },
);
