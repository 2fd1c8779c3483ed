import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig, type PlaywrightTestConfig, type ReporterDescription } from '@playwright/test';
import { ownModule } from '../core/package-file.ts';
import { messageOf } from '../core/system-error.ts';
import { errorWithoutStack } from './breach-error.ts';
import { ALLURE, ensureSeed, foreignTests, readPlan, shardArgument } from './run-plan.ts';

/** Environment variable with the shard, which the command line of a worker does not name. */
const SHARD = 'ASSAY_PLAYWRIGHT_SHARD';

// Merging blobs creates Playwright's own reports. Assay's results come from `assay merge`, because blobs contain no evidence.
const isMerge = process.argv[2] === 'merge-reports';
const shard = shardArgument(process.argv) ?? process.env[SHARD] ?? null;
if (shard !== null) process.env[SHARD] = shard;
ensureSeed(shard !== null);

const entry = ownModule('specs/conformance.spec');

export default defineConfig({
  testDir: path.dirname(entry),
  // Playwright divides files among shards, and a target must stay in one of them.
  ...(shard === null
    ? { testMatch: '*.spec.*', testIgnore: '**/conformance.spec.*' }
    : { testMatch: path.basename(entry) }),
  // Shards on one machine write to separate folders.
  outputDir: path.resolve('test-results', shard === null ? '' : `shard-${shard.replace('/', '-of-')}`),
  // The target file limits every request, and a test that waits for a token to expire takes an hour.
  timeout: 0,
  workers: 1,
  globalSetup: ownModule('src/playwright/setup'),
  reporter: isMerge ? [htmlReport()] : reporters(),
  ...(isMerge ? {} : { projects: await targetProjects() }),
});

/** A project per target, so that reports and UI mode group and filter by it. */
async function targetProjects(): Promise<NonNullable<PlaywrightTestConfig['projects']>> {
  const plan = await readPlan(process.env).catch((error: unknown) => {
    throw errorWithoutStack('assay', messageOf(error));
  });
  return plan.targets.map((target) => ({
    name: target.name,
    // With more workers, each has another target.
    workers: 1,
    grepInvert: foreignTests(target, plan),
  }));
}

/** The reporters of a run. A shard writes a blob in place of the HTML report: `npx playwright merge-reports` reads it. */
function reporters(): ReporterDescription[] {
  if (process.argv.includes('--list')) return [['list']];
  if (shard === null) return [['list'], htmlReport(), ...allure()];
  const blob = path.resolve('blob-report', `report-${shard.split('/')[0]}.zip`);
  return [['list'], ['blob', { outputFile: blob }], ...allure()];
}

function htmlReport(): ReporterDescription {
  return ['html', { open: 'never', outputFolder: path.resolve('playwright-report') }];
}

/**
 * Allure's own reporter, if it is installed. It writes the steps and attachments of each test to ./allure-results,
 * together with other suites of the project. The run's folder is the same as that of `assay run`.
 */
function allure(): ReporterDescription[] {
  try {
    const reporter = createRequire(import.meta.url).resolve('allure-playwright');
    process.env[ALLURE] = '1';
    return [[reporter, { resultsDir: 'allure-results', suiteTitle: false }]];
  } catch {
    return [];
  }
}
