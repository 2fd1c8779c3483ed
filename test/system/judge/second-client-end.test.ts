import { expect, test } from 'vitest';
import { judgeMock, withVerdict } from '../../support/judge-mock.ts';

test('a list of the second client that ends before its count says hides no other breach of its pages', async () => {
  const result = await judgeMock({
    records: 1234,
    defects: ['second-client-own-links-absolute', 'second-client-own-count-of-first'],
  });
  expect(withVerdict(result, 'fail')).toEqual(['link/relative', 'count/equals-records']);
});
