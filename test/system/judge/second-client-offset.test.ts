import { expect, test } from 'vitest';
import { judgeBehind, openMock, withVerdict } from '../../support/judge-mock.ts';

test('links of the second client that lead one record too far back break link/offset only', async () => {
  const mock = await openMock({ records: 1234, defects: ['second-client-own-offset-one-too-high'] });
  const result = await judgeBehind(mock, ({ kind, answer }) =>
    kind === 'list'
      ? { ...answer, body: Buffer.from(`${answer.body}`.replace('$skip=501"', '$skip=499"')) }
      : answer,
  );
  expect(withVerdict(result, 'fail')).toEqual(['link/offset']);
});
