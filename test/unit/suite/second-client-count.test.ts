import { expect, it } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

it('count/equals-records does not fail for the second client where $skip is wrong for both clients', async () => {
  const judged = await judgeMock(
    { defects: ['tail-missing-for-small-pages'] },
    { suite: 'certify', seed: 2 },
  );
  expect(requirementOf(judged, 'traversal/by-parameters').verdict).toBe('fail');
  expect(requirementOf(judged, 'count/equals-records').verdict).not.toBe('fail');
});
