import { describe, expect, it } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

describe('an order that changes while count does not', () => {
  it('fails traversal/no-duplicates and nothing else', async () => {
    const result = await judgeMock({ defects: ['order-of-the-heap'] });
    const failed = result.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(failed).toEqual(['traversal/no-duplicates']);
    const [violation] = requirementOf(result, 'traversal/no-duplicates').violations;
    expect(violation?.exchanges.length).toBeGreaterThanOrEqual(3);
    expect(violation?.counterexample).toMatchObject({ identifier: expect.any(String) as string });
  });

  it('is no failure if records are added and removed, although count stays the same', async () => {
    for (const variant of ['living-sliding-window', 'living-sliding-window-for-a-while', 'living-queue']) {
      const result = await judgeMock({ variant });
      expect(requirementOf(result, 'traversal/no-duplicates').verdict, variant).not.toBe('fail');
    }
  });
});

describe('links that are broken without $pagesize only', () => {
  it('leave other requirements to the traversals that are intact', async () => {
    const result = await judgeMock({ defects: ['links-refused-without-size-and-count-too-low'] });
    for (const id of ['traversal/followable', 'count/equals-records'])
      expect(requirementOf(result, id).verdict, id).toBe('fail');
    for (const id of ['link/offset', 'link/query', 'count/stable', 'page-size/limit', 'list/items'])
      expect(requirementOf(result, id).verdict, id).toBe('pass');
    // A breach behind the broken link would not have shown.
    for (const id of ['traversal/terminates', 'traversal/same-records', 'link/absent-at-the-end'])
      expect(requirementOf(result, id).cause, id).toMatchObject({
        kind: 'blocked',
        by: 'traversal/followable',
      });
  });

  it('do not keep a circle of other links from being found', async () => {
    const defects = ['links-elsewhere-without-size-and-circle-with-size'];
    const result = await judgeMock({ defects });
    expect(requirementOf(result, 'traversal/terminates').verdict).toBe('fail');
  });
});

describe('a link behind the last record that is not followed', () => {
  it.each([
    ['smoke', 'link-at-the-end-without-count', 400],
    ['full', 'link-at-the-end-without-count', 400],
    ['full', 'link-at-the-end-leads-nowhere', 1234],
  ] as const)('leaves open whether the links end, in %s with %s', async (suite, defect, records) => {
    const result = await judgeMock({ defects: [defect], records }, { suite });
    expect(result.outcome).toBe('non-conformant');
    for (const id of ['traversal/terminates', 'traversal/followable'])
      expect(requirementOf(result, id).verdict, id).not.toBe('pass');
  });
});

describe('a token behind a load balancer', () => {
  it('is reported with its share of refused connections', async () => {
    const result = await judgeMock({ defects: ['worker-refuses-linked-pages'] });
    const accepted = requirementOf(result, 'authorization/accepted');
    expect(accepted.verdict).toBe('fail');
    const { counterexample } = accepted.violations[0] ?? {};
    const connections = Number(counterexample?.['connections']);
    expect(connections).toBeGreaterThanOrEqual(10);
    expect(Number(counterexample?.['refused'])).toBeGreaterThan(0);
    expect(Number(counterexample?.['refused'])).toBeLessThan(connections);
  });
});

describe('a list that gives records without a token', () => {
  it('is not said to have refused the same call before', async () => {
    const result = await judgeMock({ defects: ['gate-refusal-with-records'] });
    const { violations } = requirementOf(result, 'authorization/required');
    expect(violations.map(({ exchanges }) => exchanges.length)).toEqual([1]);
  });
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

it('count/equals-records does not fail for the second client where $skip is wrong for both clients', async () => {
  const judged = await judgeMock(
    { defects: ['tail-missing-for-small-pages'] },
    { suite: 'certify', seed: 2, only: ['traversal/by-parameters', 'count/equals-records'] },
  );
  expect(requirementOf(judged, 'traversal/by-parameters').verdict).toBe('fail');
  expect(requirementOf(judged, 'count/equals-records').verdict).not.toBe('fail');
});
