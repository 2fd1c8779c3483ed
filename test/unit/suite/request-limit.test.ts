import { describe, expect, it } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

describe('a run that limits.maxRequests ends', () => {
  it.each([
    ['link-missing-before-last-full-page', 'link/present-when-more'],
    ['count-of-page-when-repeated', 'count/stable'],
  ])('passes no requirement whose breach lies behind the limit (%s)', async (defect, requirement) => {
    for (const maxRequests of [120, 150, 160, 184]) {
      const judged = await judgeMock({ defects: [defect] }, { seed: 1, target: { limits: { maxRequests } } });
      expect(requirementOf(judged, requirement).verdict).not.toBe('pass');
    }
  });
});
