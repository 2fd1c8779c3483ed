import { expect, test } from 'vitest';
import { onList, status } from '../../support/hostile/hostile-behaviours.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

test.each([
  ['a minute behind the iat of a token that it refuses', -60, true],
  ['ahead of the iat of a token that it refuses', 60, false],
])('a list whose clock is %s is said to be so', async (_what, seconds, isSaid) => {
  const date = new Date(Date.now() + seconds * 1000).toUTCString();
  const behaviour = onList(status(401, [['Date', date]]));
  const result = await judgeBehind(await openMock({ tokens: 'jwt' }), behaviour);
  const { verdict, violations } = requirementOf(result, 'authorization/accepted');
  expect(verdict).toBe('fail');
  expect(/\biat\b.*\bDate\b/u.test(violations[0]?.message ?? '')).toBe(isSaid);
});
