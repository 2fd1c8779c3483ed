import { describe, expect, it } from 'vitest';
import { MAX_FOLLOWED } from '../../../src/judge/probes/first-pages.ts';
import type { MockOptions } from '../../../src/mock/index.ts';
import { judgeMock, judgeTarget, openMock, requirementOf, targetOf } from '../../support/judge-mock.ts';

/** The targets of all requests of a run. */
async function requestsTo(options: MockOptions): Promise<readonly string[]> {
  const targets: string[] = [];
  const mock = await openMock({
    ...options,
    control: { onLine: ({ target }: { readonly target: string }) => void targets.push(target) },
  });
  await judgeTarget(targetOf(mock));
  return targets;
}

describe('a token behind a load balancer', () => {
  it.each(['worker-forgets-signing-key', 'worker-refuses-linked-pages', 'worker-knows-own-tokens-only'])(
    'is reported with its share of refused connections: %s',
    async (defect) => {
      const result = await judgeMock({ defects: [defect] });
      const accepted = requirementOf(result, 'authorization/accepted');
      expect(accepted.verdict).toBe('fail');
      const { counterexample } = accepted.violations[0] ?? {};
      const connections = Number(counterexample?.['connections']);
      expect(connections).toBeGreaterThanOrEqual(10);
      expect(Number(counterexample?.['refused'])).toBeGreaterThan(0);
      expect(Number(counterexample?.['refused'])).toBeLessThan(connections);
    },
  );

  it('costs no further requests if every connection accepts it', async () => {
    // About 200, and the pages of whole traversals (3, 13, 4 and up to 9), of partial ones (3 and 2), and of those that are followed.
    expect((await requestsTo({})).length).toBeLessThanOrEqual(244 + MAX_FOLLOWED);
  });
});
