import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { targetOf } from '../../../../src/cli/mock/action.ts';
import { type Chosen, readMockOptions } from '../../../../src/cli/mock/scenario.ts';
import { openMock } from '../../../support/judge-mock.ts';
import { listRequest, page, send, tokenOf } from '../../../support/mock/client.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

function chosen(scenario: object, options: object = {}): Promise<Chosen> {
  const file = path.join(temporaryFolder('scenario'), 'scenario.yaml');
  writeFileSync(file, JSON.stringify(scenario));
  return readMockOptions({ scenario: file, ...options });
}

it('the variant of a scenario file has its own records, tokens and lists, unless others are given', async () => {
  const seven = await chosen({ variant: 'total-7' });
  const mock = await openMock(seven);
  expect(seven.records).toBe(7);
  expect(await page(mock, await tokenOf(mock), '?$count=true')).toMatchObject({ count: 7 });
  expect(await chosen({ variant: 'total-7', records: 8 })).toMatchObject({ records: 8 });
  expect(await chosen({ variant: 'total-7', records: 8 }, { records: '9' })).toMatchObject({ records: 9 });

  expect(await chosen({ variant: 'tokens-opaque' })).toMatchObject({ records: 1234, tokens: 'opaque' });
  expect(await chosen({ variant: 'tokens-opaque', tokens: 'jwt' })).toMatchObject({ tokens: 'jwt' });

  const two = await chosen({ variant: 'two-lists' });
  expect(targetOf(await openMock(two), two, null)).toMatchObject({
    resources: [{ path: '/v1/printers' }, { path: '/v1/units' }],
  });
});

it('the latency that is given replaces the one of the variant', async () => {
  const options = await chosen({ variant: 'link-bound-to-token', latency: { fixedMs: 90 } });
  const mock = await openMock(options);
  const startedAt = performance.now();
  await send(mock, { target: '/' });
  expect(performance.now() - startedAt).toBeGreaterThan(80);
});

it.each(['token-newest-only', 'opaque-parts-spare-bits-ignored', 'jwt-hmac-strong-key'])(
  'the tokens of the variant %s stay valid when a rule adds defects, and after a reset',
  async (variant) => {
    const rules = [{ when: { header: { 'X-Scenario': '*' } }, defects: ['count-one-more'] }];
    const mock = await openMock({ variant, scenario: { rules }, control: {} });
    const call = listRequest(mock, await tokenOf(mock), '');
    expect((await send(mock, call)).status).toBe(200);
    const headers = { ...call.headers, 'X-Scenario': 'on' };
    expect((await send(mock, { ...call, headers })).status).toBe(200);
    await send(mock, { method: 'POST', target: '/__assay/reset' });
    expect((await send(mock, call)).status).toBe(200);
  },
);
