import { describe, expect, it } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

describe('a run that limits.maxRequests ends', () => {
  it('passes no requirement whose breach lies behind the limit', async () => {
    for (const maxRequests of [120, 150, 160]) {
      const judged = await judgeMock(
        { defects: ['link-missing-before-last-full-page'] },
        { seed: 1, target: { limits: { maxRequests } } },
      );
      expect(requirementOf(judged, 'link/present-when-more').verdict).not.toBe('pass');
    }
  });
});
