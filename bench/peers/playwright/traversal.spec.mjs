import { expect, test } from '@playwright/test';
import { bearer, expectList, url } from './token.mjs';

test('links lead to the end', async ({ request }) => {
  test.setTimeout(600_000);
  const headers = await bearer(request);
  const met = new Set();
  let count = 0;
  for (let path = '/v1/printers?$count=true'; path; ) {
    const answer = await request.get(url + path, { headers });
    const body = await answer.json();
    expectList(body);
    for (const { id } of body.items) met.add(id);
    count = body.count;
    path = body.nextPageLink;
    await answer.dispose();
  }
  expect(met.size).toBe(count);
});
