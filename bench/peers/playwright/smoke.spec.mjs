import { expect, test } from '@playwright/test';
import { bearer, expectList, form, url } from './token.mjs';

test('a wrong secret obtains no token', async ({ request }) => {
  for (const secret of ['', 'wrong', 'bench-secret-4711-081']) {
    expect((await request.post(`${url}/connect/token`, { form: form(secret) })).status()).toBe(400);
  }
});

test('lists are given to bearers of a token alone', async ({ request }) => {
  const headers = await bearer(request);
  for (const path of ['/v1/printers', '/v1/printers?$count=true', '/v1/printers?$pagesize=1']) {
    expect((await request.get(url + path)).status()).toBe(401);
    const answer = await request.get(url + path, { headers });
    expect(answer.status()).toBe(200);
    expectList(await answer.json());
  }
});

test('page sizes are kept', async ({ request }) => {
  const headers = await bearer(request);
  for (const query of [
    '$pagesize=7',
    '$count=false',
    '$count=false&$pagesize=7',
    '$count=true&$pagesize=1',
    '$count=true&$pagesize=7',
    '%24count=true&%24pagesize=7',
    '$count=true&%24pagesize=7',
    '%24count=true&$pagesize=7',
  ]) {
    const answer = await request.get(`${url}/v1/printers?${query}`, { headers });
    expect(answer.status()).toBe(200);
    expectList(await answer.json());
  }
});

test('links lead to the end', async ({ request }) => {
  const headers = await bearer(request);
  const met = new Set();
  let count = 0;
  for (let path = '/v1/printers?$count=true'; path; ) {
    const body = await (await request.get(url + path, { headers })).json();
    expectList(body);
    for (const { id } of body.items) met.add(id);
    count = body.count;
    path = body.nextPageLink;
  }
  expect(met.size).toBe(count);
});
