import { describe, expect, it } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

describe('a list that gives records without a token', () => {
  it.each(['gate-open-for-one-record', 'gate-refusal-with-records', 'gate-open-with-page-size'])(
    'is not said to have refused the same call before: %s',
    async (defect) => {
      const { violations } = requirementOf(await judgeMock({ defects: [defect] }), 'authorization/required');
      expect(violations.map(({ exchanges }) => exchanges.length)).toEqual([1]);
    },
  );
});

describe('a list whose counted pages are answered 206', () => {
  it('blocks what is derived from a token by authorization/accepted', async () => {
    const result = await judgeMock({ defects: ['counted-list-answered-206'] }, { seed: 7 });
    for (const id of ['authorization/scheme', 'authorization/token-integrity'])
      expect(requirementOf(result, id).cause).toMatchObject({
        kind: 'blocked',
        by: 'authorization/accepted',
      });
  });
});
