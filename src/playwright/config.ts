import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig, type ReporterDescription } from '@playwright/test';
import { ownModule } from '../core/package-file.ts';
import { settlePlan } from './plan.ts';

settlePlan(process.env);

const spec = ownModule('specs/conformance.spec');

export default defineConfig({
  testDir: path.dirname(spec),
  testMatch: path.basename(spec),
  outputDir: path.resolve('test-results'),
  // Limits of the target file bound every request; a test that waits for a token to expire takes an hour.
  timeout: 0,
  workers: 1,
  globalSetup: ownModule('src/playwright/setup'),
  reporter: [['list'], [ownModule('src/report/collector'), { formats: ['junit', 'allure'] }], ...allure()],
});

/**
 * Allure's own reporter, where it is installed: the steps and attachments of each test in ./allure-results, which other
 * suites of a project write to, too. What the run's folder holds is the same as `assay run` writes.
 */
function allure(): ReporterDescription[] {
  try {
    const reporter = createRequire(import.meta.url).resolve('allure-playwright');
    return [[reporter, { resultsDir: 'allure-results', suiteTitle: false }]];
  } catch {
    return [];
  }
}
