import { expect, test } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

test('records that come twice fail where links are bound to the token that obtained them', async () => {
  // Other checks request tokens between a page and its repetition.
  const result = await judgeMock({
    variant: 'link-bound-to-token',
    defects: ['traversal-boundary-repeated'],
  });
  expect(requirementOf(result, 'traversal/no-duplicates').verdict).toBe('fail');
});
