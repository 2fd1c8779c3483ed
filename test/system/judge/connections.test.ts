import { describe, expect, it } from 'vitest';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

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
});
