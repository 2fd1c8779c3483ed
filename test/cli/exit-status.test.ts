import { describe, expect, test } from 'vitest';
import { EXIT, exitStatusOf, withLoss } from '../../src/cli/exit-status.ts';

describe('exit statuses', () => {
  test('are those of the contract', () => {
    expect(EXIT).toEqual({ ok: 0, failed: 1, inconclusive: 2, notCarriedOut: 3, interrupted: 130 });
  });

  test.each([
    ['conformant', 'fail', 0],
    ['conformant', 'inconclusive', 0],
    ['non-conformant', 'fail', 1],
    ['non-conformant', 'inconclusive', 1],
    ['inconclusive', 'fail', 0],
    ['inconclusive', 'inconclusive', 2],
    ['error', 'fail', 3],
    ['error', 'inconclusive', 3],
  ] as const)('%s with --fail-on %s ends with %i', (outcome, failOn, status) => {
    expect(exitStatusOf(outcome, failOn)).toBe(status);
  });

  test('tell what was lost, but for a proven failure', () => {
    expect([EXIT.ok, EXIT.inconclusive, EXIT.failed].map((one) => withLoss(one, true))).toEqual([3, 3, 1]);
    expect(withLoss(EXIT.ok, false)).toBe(0);
  });
});
