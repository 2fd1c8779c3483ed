import { describe, expect, it } from 'vitest';
import { judgeMock, requirementOf, withVerdict } from '../../support/judge-mock.ts';

const judged = (...defects: string[]) => judgeMock({ records: 1234, defects });

describe('links that seem endless', () => {
  it.each(['count-of-page', 'count-zero', 'count-overflow-10', 'count-of-pages'])(
    'are no failure of their own where old records on every page meet a wrong count (%s)',
    async (count) => {
      const result = await judged('traversal-first-page-for-all', count);
      const failed = withVerdict(result, 'fail');
      expect(failed).toContain('traversal/no-duplicates');
      expect(failed.filter((id) => !/^count\/|^traversal\/no-duplicates$/.test(id))).toEqual([]);
      expect(requirementOf(result, 'traversal/terminates').verdict).toBe('inconclusive');
    },
  );

  it.each([
    'link-never-ends',
    'link-never-ends and count-zero',
    'link-never-ends and traversal-first-page-for-all',
    'traversal-skip-unread and count-zero',
  ])('are a failure if a page after any list still has a link (%s)', async (defects) => {
    const result = await judged(...defects.split(' and '));
    expect(withVerdict(result, 'fail')).toContain('traversal/terminates');
  });

  it('are blocked by the link after the last record if no request can show them', async () => {
    const result = await judged('link-never-ends', 'parameters-skip-refused');
    expect(withVerdict(result, 'fail')).toEqual(['link/absent-at-the-end', 'traversal/by-parameters']);
    expect(requirementOf(result, 'traversal/terminates').reason).toContain('link/absent-at-the-end');
  });
});
