import { expect, test } from 'vitest';
import { judgeBehind, judgeMock, openMock, requirementOf, withVerdict } from '../../support/judge-mock.ts';

test('a client that is refused from a moment on leaves authorization/accepted open without a second client', async () => {
  const result = await judgeMock(
    { defects: ['client-refused-from-the-hundredth-call'] },
    { target: { otherCredentials: null } },
  );
  const { verdict, cause } = requirementOf(result, 'authorization/accepted');
  expect({ verdict, cause }).toEqual({
    verdict: 'inconclusive',
    cause: { kind: 'unavailable', status: 401 },
  });
});

test('a gateway that blocks a client from its second list call on fails nothing', async () => {
  let given = 0;
  const result = await judgeBehind(await openMock(), ({ answer, target }) => {
    if (!target.startsWith('/v1/printers') || answer.status !== 200) return answer;
    given += 1;
    return given === 1 ? answer : { ...answer, status: 403, body: Buffer.from('') };
  });
  expect(withVerdict(result, 'fail')).toEqual([]);
  expect(requirementOf(result, 'authorization/accepted').cause).toEqual({ kind: 'unavailable', status: 403 });
});
