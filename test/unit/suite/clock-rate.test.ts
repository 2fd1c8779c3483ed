import { expect, test } from 'vitest';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

test.each([
  ['shows', true],
  ['does not show', false],
])(
  'a real clock that the Date header %s is not taken for tokens that never expire',
  async (_how, isShown) => {
    const mock = await openMock();
    const result = await judgeBehind(
      mock,
      ({ answer }) => ({
        ...answer,
        headers: answer.headers.filter(([name]) => isShown || name.toLowerCase() !== 'date'),
      }),
      { expiry: true, only: ['token/refused-after-expiry'], target: { expiry: { clockRate: 3600 } } },
    );
    expect(requirementOf(result, 'token/refused-after-expiry').cause).toEqual({
      kind: 'configuration',
      key: 'expiry.clockRate',
    });
  },
);
