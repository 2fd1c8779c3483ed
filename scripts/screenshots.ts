import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gatherReportData } from '../src/cli/shared/run-files/report-data.ts';
import { startMock } from '../src/mock/index.ts';
import { renderHtml } from '../src/report/formats/html.tsx';
import { conform } from '../src/run/conform.ts';
import { launch } from '../test/support/browser.ts';
import { targetOf } from '../test/support/judge-mock.ts';
import { takeUiScreenshot } from './ui-screenshot.ts';

const SCREENSHOTS = path.join('docs', 'screenshots');

const folder = mkdtempSync(path.join(tmpdir(), 'assay-screenshots-'));
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1200 } });
  await page.goto(pathToFileURL(await writeReport()).href);
  await page.screenshot({ path: path.join(SCREENSHOTS, 'report.png') });
  await page.close();
  await takeUiScreenshot(browser, folder, path.join(SCREENSHOTS, 'playwright-ui.png'));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Tests a provider with two defects, and returns the path of its report. */
async function writeReport(): Promise<string> {
  const mock = await startMock({ records: 1234, defects: ['skip-in-pages', 'expires-in-text'] });
  try {
    const results = await conform([targetOf(mock, { name: 'acme-staging' })], {
      suite: 'full',
      only: [],
      skip: [],
      seed: 42,
      runs: null,
      expiry: false,
      command: 'assay run acme.yaml --seed 42',
      runId: '20261121-051331-042-9f3c1a',
      evidenceFile: path.join(folder, 'evidence.ndjson.gz'),
      listener: () => undefined,
      signal: null,
    });
    const data = await gatherReportData(results, folder, {
      formats: ['html'],
      warn: (sentence) => process.stderr.write(`${sentence}\n`),
    });
    const file = path.join(folder, 'report.html');
    writeFileSync(file, await renderHtml(data));
    return file;
  } finally {
    await mock.close();
  }
}
