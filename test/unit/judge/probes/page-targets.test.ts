import { describe, expect, it } from 'vitest';
import { requestedPageOf } from '../../../../src/judge/probes/requested-page.ts';
import type { Page } from '../../../../src/provider/page.ts';
import { judgeMock, requirementOf, withVerdict } from '../../../support/judge-mock.ts';

function asked(target: string) {
  return requestedPageOf({ kind: 'page', target } as Page);
}

describe('the parameters of a request', () => {
  it('are read in any spelling', () => {
    expect(asked('/v1/printers')).toMatchObject({ isCounted: false, pageSize: null, size: 500, skip: 0 });
    expect(asked('/v1/printers?%24skip=7&$count=TRUE&%24pagesize=20')).toMatchObject({
      isCounted: true,
      pageSize: '20',
      size: 20,
      skip: 7,
    });
    expect(asked('/v1/printers?$count=false&$pagesize=501')).toMatchObject({ isCounted: false, size: null });
    expect(asked('/v1/printers?$pagesize=1&$pagesize=2')).toMatchObject({ size: null });
    expect(asked('/v1/printers?$count=1')).toMatchObject({ isCounted: null });
    expect(asked('/v1/printers?$skip=-1')).toBeNull();
    expect(asked('/v1/printers?$skip=1&$skip=2')).toBeNull();
    const page = { kind: 'page', target: '/v1/printers?$skip=-1&$pagesize=2' } as Page;
    expect(requestedPageOf(page, { hasAnySkip: true })).toMatchObject({ size: 2, skip: 0 });
  });
});

/** Rules whose breach may occur after any page. */
const OF_EVERY_PAGE = [
  'authorization/required-on-every-page',
  'list/envelope',
  'list/items',
  'page-size/limit',
  'page-size/filled',
  'link/present-when-more',
  'link/absent-at-the-end',
  'link/relative',
  'link/query',
  'link/offset',
  'traversal/followable',
  'traversal/terminates',
  'traversal/no-duplicates',
  'traversal/same-records',
  'traversal/by-parameters',
  'count/present',
  'count/stable',
  'count/equals-records',
];

describe('a bound on pages', () => {
  it('leaves every rule undecided that a later page may break', async () => {
    const result = await judgeMock({ records: 1234 }, { target: { limits: { maxPages: 2 } } });
    expect(withVerdict(result, 'fail', 'error')).toEqual([]);
    expect(OF_EVERY_PAGE.filter((id) => requirementOf(result, id).verdict !== 'inconclusive')).toEqual([]);
    for (const id of OF_EVERY_PAGE)
      expect(requirementOf(result, id).cause, id).toEqual({ kind: 'limit', limit: 'maxPages' });
  });
});

describe('a link after the last record', () => {
  it.each(['link-at-end-of-small-pages', 'link-at-end-of-jumps'])(
    'keeps traversals from being said to end, and to be followable (%s)',
    async (defect) => {
      const result = await judgeMock({ records: 1234, defects: [defect] });
      expect(withVerdict(result, 'fail')).toEqual(['link/absent-at-the-end']);
      for (const id of ['traversal/terminates', 'traversal/followable'])
        expect(requirementOf(result, id), id).toMatchObject({
          verdict: 'inconclusive',
          cause: { kind: 'blocked', by: 'link/absent-at-the-end' },
        });
    },
  );
});
