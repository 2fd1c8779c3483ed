import { expect, test } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

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
