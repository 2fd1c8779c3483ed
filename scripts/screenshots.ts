import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from '@playwright/test';
import { gatherReportData } from '../src/cli/shared/run-files/report-data.ts';
import { startMock } from '../src/mock/index.ts';
import { renderHtml } from '../src/report/formats/html.tsx';
import { conform } from '../src/run/conform.ts';
import { launch } from '../test/support/browser.ts';
import { targetOf } from '../test/support/judge-mock.ts';
import { takeUiScreenshot } from './ui-screenshot.ts';

/** One screenshot of a report: the defects of the provider and the browser options. */
interface Shot {
  readonly name: string;
  readonly defects: readonly string[];
  readonly place?: string;
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly print?: boolean;
}

const TWO_DEFECTS = ['skip-in-pages', 'expires-in-text'];
const MANY_DEFECTS = [
  'expires-in-text',
  'secret-any',
  'limit-one-more',
  'item-one-null-name',
  'link-absolute',
];

/** Width of the screenshots whose name ends with `-narrow`, in pixels; the others are 1280 pixels wide. */
const NARROW = 390;

const SHOTS: readonly Shot[] = [
  { name: 'report', defects: TWO_DEFECTS, height: 1200 },
  { name: 'report-narrow', defects: TWO_DEFECTS, width: NARROW, height: 1200 },
  { name: 'report-dark', defects: MANY_DEFECTS, dark: true },
  { name: 'report-print', defects: TWO_DEFECTS, width: 720, height: 1000, print: true },
  { name: 'conforming', defects: [] },
  { name: 'conforming-narrow', defects: [], width: NARROW },
  { name: 'charts', defects: ['traversal-boundary-repeated'], place: '#charts', height: 1100 },
  { name: 'charts-narrow', defects: ['traversal-boundary-repeated'], place: '#charts', width: NARROW },
  { name: 'requirements', defects: MANY_DEFECTS, place: '#requirements?verdict=fail' },
  {
    name: 'requirements-narrow',
    defects: MANY_DEFECTS,
    place: '#requirements?verdict=fail',
    width: NARROW,
  },
];

const folder = mkdtempSync(path.join(tmpdir(), 'assay-screenshots-'));
const browser = await launch();
const pages = new Map<string, string>();
try {
  for (const shot of SHOTS) {
    const key = shot.defects.join(' ');
    const page = pages.get(key) ?? (await writeReport(shot.defects, pages.size));
    pages.set(key, page);
    await takeScreenshot(browser, shot, page);
    process.stdout.write(`docs/screenshots/${shot.name}.png\n`);
  }
  await takeUiScreenshot(browser, folder, path.join('docs', 'screenshots', 'playwright-ui.png'));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function writeReport(defects: readonly string[], index: number): Promise<string> {
  const mock = await startMock({ records: 1234, defects });
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
    const file = path.join(folder, `${index}.html`);
    writeFileSync(file, await renderHtml(data));
    return file;
  } finally {
    await mock.close();
  }
}

async function takeScreenshot(chromium: Browser, shot: Shot, file: string): Promise<void> {
  const page = await chromium.newPage({
    viewport: { width: shot.width ?? 1280, height: shot.height ?? 900 },
    colorScheme: shot.dark === true ? 'dark' : 'light',
  });
  if (shot.print === true) await page.emulateMedia({ media: 'print' });
  await page.goto(pathToFileURL(file).href + (shot.place ?? ''));
  await page.screenshot({ path: path.join('docs', 'screenshots', `${shot.name}.png`) });
  await page.close();
}
