// Assay's checks among tests of your own.
//
//   npx playwright test --config playwright/playwright.config.mjs
import { test as base, expect, mergeTests } from '@playwright/test';
import { requirementIds, test as withAssay } from 'assay/playwright';

const test = mergeTests(base, withAssay);

test('a test that was there before', ({ baseURL }) => {
  expect(baseURL).toBeUndefined();
});

test('the token is as the specification says', async ({ assay }) => {
  await assay.judge('token/issued', 'token/shape', 'token/type', 'token/validity');
});

// One test for each requirement of a chapter.
for (const id of requirementIds('link/*')) test(id, ({ assay }) => assay.judge(id));
