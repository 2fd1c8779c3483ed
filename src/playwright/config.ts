import path from 'node:path';
import { defineConfig } from '@playwright/test';
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
  reporter: [['list'], [beside('../report/collector'), { formats: ['junit', 'allure'] }]],
});
