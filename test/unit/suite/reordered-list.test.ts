import { expect, it } from 'vitest';
import type { Json } from '../../../src/core/results.ts';
import type { Mock } from '../../../src/mock/index.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

const RECORDS = 500;

/** All records of a mock, in their order. */
async function recordsOf({ authUrl, baseUrl, tenant, credentials }: Mock): Promise<readonly Json[]> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    scope: credentials.scope,
  });
  const issued = await fetch(`${authUrl}/connect/token`, { method: 'POST', body: form });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, tenant, accept: 'application/json' };
  const page = await fetch(`${baseUrl}/v1/printers`, { headers });
  return ((await page.json()) as { items: readonly Json[] }).items;
}

it('a list that is sorted anew once costs few requests for the pages in another order', async () => {
  const mock = await openMock({ records: RECORDS });
  const records = await recordsOf(mock);
  const reversed = records.toReversed();
  let lists = 0;
  const result = await judgeBehind(mock, ({ kind, target, answer }) => {
    if (kind !== 'list' || answer.status !== 200 || ++lists <= 20) return answer;
    const body = JSON.parse(answer.body.toString()) as { items: readonly Json[] };
    const skip = Number(/skip=(\d+)/.exec(target)?.[1] ?? 0);
    const items = reversed.slice(skip, skip + body.items.length);
    const headers = answer.headers.filter(([name]) => !/^content-(length|encoding)$/i.test(name));
    return { ...answer, headers, body: Buffer.from(JSON.stringify({ ...body, items })) };
  });
  expect(requirementOf(result, 'traversal/no-duplicates').requests).toBeLessThan(600);
}, 60_000);
