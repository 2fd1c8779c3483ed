import { expect, it } from 'vitest';
import { judgeTarget, openFront, openMock, requirementOf, targetOf } from '../../../support/judge-mock.ts';

it('a connection that is closed while pairs of token requests are sent leaves token/issued passed', async () => {
  const mock = await openMock({ records: 3 });
  const closed: number[] = [];
  const authUrl = await openFront(mock, ({ answer, number, socket }) => {
    // A server error, which has the pairs sent; the first of them are the requests after its repetition.
    if (number === 2) return { ...answer, status: 500 };
    if (number < 5 || number > 12) return answer;
    closed.push(number);
    socket.destroy();
    return null;
  });
  const result = await judgeTarget(targetOf(mock, { authUrl }), { only: ['token/issued'] });
  expect(closed.length).toBeGreaterThan(0);
  expect(requirementOf(result, 'token/issued').verdict).toBe('pass');
});
