import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { defineConfig, type ReporterDescription } from '@playwright/test';
import { ownModule } from '../core/package-file.ts';
import { isMergeCommand, shardArgument } from './command-line.ts';
import { fixSeed } from './run-plan.ts';

const shard = shardArgument(process.argv);
fixSeed(process.env, shard !== null);

const spec = ownModule('specs/conformance.spec');

export default defineConfig({
  testDir: path.dirname(spec),
  testMatch: path.basename(spec),
  // Shards on one machine write to separate folders.
  outputDir: path.resolve('test-results', shard === null ? '' : `shard-${shard.replace('/', '-of-')}`),
  // The target file limits every request, and a test that waits for a token to expire takes an hour.
  timeout: 0,
  workers: 1,
  // Workers and shards divide the targets.
  fullyParallel: true,
  globalSetup: ownModule('src/playwright/setup'),
  reporter: isMergeCommand(process.argv) ? [['html', { open: 'never' }]] : reporters(),
});

/** The reporters of a run; a shard also writes a blob for Playwright's merged reports. */
function reporters(): ReporterDescription[] {
  const blob = shard === null ? null : path.join(os.tmpdir(), `assay-${randomUUID()}.zip`);
  return [
    ['list'],
    // The order matters: the blob must be complete before the run is sealed with it.
    ...(blob === null ? [] : [['blob', { outputFile: blob }] satisfies ReporterDescription]),
    [ownModule('src/playwright/collector'), { formats: ['junit', 'allure'], blob }],
    ...allure(),
  ];
}

/**
 * Allure's own reporter, if it is installed. It writes the steps and attachments of each test to ./allure-results,
 * together with other suites of the project. The run's folder is the same as that of `assay run`.
 */
function allure(): ReporterDescription[] {
  try {
    const reporter = createRequire(import.meta.url).resolve('allure-playwright');
    return [[reporter, { resultsDir: 'allure-results', suiteTitle: false }]];
  } catch {
    return [];
  }
}
