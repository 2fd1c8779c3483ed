import { expect, it } from 'vitest';
import { openMock } from '../../support/judge-mock.ts';
import { fieldsOf, listRequest, membersOf, send, tokenOf, tokenRequest } from '../../support/mock/client.ts';

it('answers a request target in absolute form as its path and query', async () => {
  const mock = await openMock({ records: 7 });
  const { headers = {} } = listRequest(mock, await tokenOf(mock), '');
  const ask = (target: string) => send(mock, { target: mock.authUrl + target, headers });
  const got = await ask('/v1/printers?$count=true&$pagesize=2');
  expect([got.status, membersOf(got.text)['count']]).toEqual([200, 7]);
  expect((await ask('')).status).toBe(404);
  const request = tokenRequest(fieldsOf(mock.credentials));
  expect((await send(mock, { ...request, target: mock.authUrl + request.target })).status).toBe(200);
});
