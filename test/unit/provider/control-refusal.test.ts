import { expect, it } from 'vitest';
import { openFront, openMock, targetOf, withTokens } from '../../support/judge-mock.ts';

const REFUSED = {
  status: 401,
  reason: 'Unauthorized',
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from('{"error":"invalid_client"}'),
} as const;

it('a refused valid request is answered although a request that controls it is not', async () => {
  const mock = await openMock({ records: 1 });
  const authUrl = await openFront(mock, ({ answer, number, socket }) => {
    if (number === 1) return answer;
    if (number !== 4) return REFUSED;
    socket.destroy();
    return null;
  });
  const target = targetOf(mock, { authUrl, limits: { retries: 0 } });
  await withTokens(target, async (tokens) => {
    await tokens.firstAnswer();
    expect((await tokens.requestAnother()).status).toBe(401);
  });
});
