import { defineConfig } from '@playwright/test';
import { settlePlan } from './src/playwright/plan.ts';

settlePlan(process.env);

export default defineConfig({
  testDir: './specs',
  testMatch: 'conformance.spec.ts',
  outputDir: './test-results',
  // Limits of the target file bound every request; a test that waits for a token to expire takes an hour.
  timeout: 0,
  workers: 1,
  globalSetup: './src/playwright/setup.ts',
  reporter: [['list'], ['./src/report/collector.ts', { formats: ['junit', 'allure'] }]],
});
