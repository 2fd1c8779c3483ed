import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig, type ReporterDescription } from '@playwright/test';
import { settlePlan } from './plan.ts';

settlePlan(process.env);

// Compiled or not, files lie beside each other and are of the same kind.
const kind = path.extname(import.meta.filename);
const beside = (file: string): string => path.resolve(import.meta.dirname, `${file}${kind}`);

export default defineConfig({
  testDir: path.resolve(import.meta.dirname, '../../specs'),
  testMatch: `conformance.spec${kind}`,
  outputDir: path.resolve('test-results'),
  // Limits of the target file bound every request; a test that waits for a token to expire takes an hour.
  timeout: 0,
  workers: 1,
  globalSetup: beside('setup'),
  reporter: [['list'], [beside('../report/collector'), { formats: ['junit', 'allure'] }], ...allure()],
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
