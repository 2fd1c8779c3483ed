import { expect, test } from 'vitest';
import { readPlan } from '../../../src/playwright/run-plan.ts';

test('the variables of Playwright are read as the options of assay run', async () => {
  expect(await readPlan({ ASSAY_SEED: '4294967295', ASSAY_RUNS: '10000', ASSAY_STRICT: '1' })).toMatchObject({
    seed: 0xffff_ffff,
    runs: 10_000,
    tolerance: { strict: true, allowInconclusive: false },
  });
  expect((await readPlan({ ASSAY_SUITE: 'certify' })).tolerance.strict).toBe(true);
});

test.each([
  { ASSAY_SEED: '4294967296' },
  { ASSAY_RUNS: '10001' },
  { ASSAY_STRICT: 'true' },
  { ASSAY_EXPIRY: 'yes' },
  { ASSAY_STRICT: '1', ASSAY_ALLOW_INCONCLUSIVE: '1' },
  { ASSAY_SUITE: 'certify', ASSAY_ALLOW_INCONCLUSIVE: '1' },
])('%j is refused, as assay run refuses it', async (environment) => {
  await expect(readPlan(environment)).rejects.toThrow(Object.keys(environment).at(-1) ?? '');
});
