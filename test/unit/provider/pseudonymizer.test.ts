import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { Pseudonymizer } from '../../../src/provider/pseudonymizer.ts';
import { unusedTarget } from '../../support/unused-target.ts';

it('reads each list with its own idField, also if the path of one begins that of another', () => {
  const resources = [
    { name: 'printers', path: '/v1/printers', idField: 'id', itemSchema: '' },
    { name: 'archive', path: '/v1/printers-archive', idField: 'key', itemSchema: '' },
  ];
  const target = { ...unusedTarget, evidence: 'digest', resources } as const;
  const body = Buffer.from(JSON.stringify({ items: [{ key: 'first-key' }, { key: 'second-key' }] }));
  const exchange = {
    request: { target: '/v1/printers-archive?$count=true' },
    answer: { status: 200, body },
  } as unknown as Exchange;
  const answer = new Pseudonymizer(target).apply(exchange).answer?.body ?? body;
  const { items } = JSON.parse(Buffer.from(answer).toString('utf8')) as { items: { key: string }[] };
  expect(items[0]?.key).not.toBe(items[1]?.key);
});
