import { describe, expect, it } from 'vitest';
import { targetOutcome } from '../../../src/core/target-outcome.ts';
import { judged } from '../../support/report/sample.ts';

const passed = judged('token/issued', 'pass');
const skipped = judged('token/accepted-until-expiry', 'skipped', {
  cause: { kind: 'unconfigured', key: '--expiry' },
});

describe('the outcome of a target', () => {
  it.each([
    ['full', [passed, skipped], 'conformant'],
    ['certify', [passed], 'conformant'],
    ['certify', [passed, skipped], 'inconclusive'],
    ['certify', [passed, skipped, judged('link/offset', 'fail')], 'non-conformant'],
  ] as const)('in the suite %s', (suite, requirements, outcome) => {
    expect(targetOutcome(requirements, suite)).toBe(outcome);
  });
});
