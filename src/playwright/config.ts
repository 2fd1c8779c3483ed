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
  // Shards on one machine leave each other's files alone.
  outputDir: path.resolve('test-results', shard === null ? '' : `shard-${shard.replace('/', '-of-')}`),
  // Limits of the target file bound every request; a test that waits for a token to expire takes an hour.
  timeout: 0,
  workers: 1,
  // Targets are what is divided among workers and shards.
  fullyParallel: true,
  globalSetup: ownModule('src/playwright/setup'),
  reporter: isMergeCommand(process.argv) ? [['html', { open: 'never' }]] : reporters(),
});

/** What a run tells and leaves; a shard also keeps what Playwright's own reports of the whole are made from. */
function reporters(): ReporterDescription[] {
  const blob = shard === null ? null : path.join(os.tmpdir(), `assay-${randomUUID()}.zip`);
  return [
    ['list'],
    // In their order: the blob is finished before the run is sealed with it.
    ...(blob === null ? [] : [['blob', { outputFile: blob }] satisfies ReporterDescription]),
    [ownModule('src/playwright/collector'), { formats: ['junit', 'allure'], blob }],
    ...allure(),
  ];
}

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
