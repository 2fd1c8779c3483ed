import { describe, expect, test } from 'vitest';
import { EXIT, exitStatusOf, statusWithLoss } from '../../../src/cli/command.ts';

const NONE = { strict: false, allowInconclusive: false };

describe('exit statuses', () => {
  test('match the contract', () => {
    expect(EXIT).toEqual({ ok: 0, failed: 1, inconclusive: 2, notCarriedOut: 3, interrupted: 130 });
  });

  test.each([
    ['passed', 0, 0, 0],
    ['needs-data', 0, 2, 0],
    ['inconclusive', 2, 2, 0],
    ['failed', 1, 1, 1],
    ['error', 3, 3, 3],
  ] as const)(
    '%s ends with %i, with --strict %i, with --allow-inconclusive %i',
    (conclusion, ...statuses) => {
      const tolerances = [NONE, { ...NONE, strict: true }, { ...NONE, allowInconclusive: true }];
      expect(tolerances.map((tolerance) => exitStatusOf(conclusion, tolerance))).toEqual(statuses);
    },
  );

  test('report lost evidence, except for a proven failure', () => {
    expect([EXIT.ok, EXIT.inconclusive, EXIT.failed].map((one) => statusWithLoss(one, true))).toEqual([
      3, 3, 1,
    ]);
    expect(statusWithLoss(EXIT.ok, false)).toBe(0);
  });
});
