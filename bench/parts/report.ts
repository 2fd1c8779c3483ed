import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { assayRun } from '../assay.ts';
import type { Row } from '../comparison.ts';
import type { Part } from '../part.ts';
import { measureProcess } from '../process.ts';
import { startProvider, targetFile } from '../provider/start.ts';
import { ratioOf, spreadOf } from '../statistics.ts';

const CHROMIUM = process.env['ASSAY_BROWSER'] ?? '/usr/bin/chromium';
const TIMES = 7;

export const report: Part = {
  name: 'report',
  about: 'First paint in Chromium of a report with 5,000 exchanges, by an empty page.',
  measure: async (folder): Promise<readonly Row[]> => {
    const provider = await startProvider({ records: 2_499_000, latencyMs: 0 });
    try {
      const file = targetFile(folder, 'report', provider);
      await measureProcess(assayRun([file], folder, '--suite', 'smoke'));
    } finally {
      provider.stop();
    }
    const empty = path.join(folder, 'empty.html');
    writeFileSync(empty, '<!doctype html><title>empty</title><p>.');
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
    });
    try {
      const paints: { readonly page: number[]; readonly empty: number[] } = { page: [], empty: [] };
      for (let time = 0; time < TIMES; time++) {
        paints.empty.push(await firstPaint(browser, empty));
        paints.page.push(await firstPaint(browser, path.join(folder, 'run/report.html')));
      }
      return [
        { what: 'first paint of the report', value: spreadOf(paints.page), unit: 'ms' },
        { what: 'first paint of an empty page', value: spreadOf(paints.empty), unit: 'ms' },
        { what: 'the ratio of the two', value: ratioOf(paints.page, paints.empty), unit: 'x' },
      ];
    } finally {
      await browser.close();
    }
  },
};

async function firstPaint(browser: Browser, file: string): Promise<number> {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file).href);
  const script = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0";
  let paint = 0;
  while (paint === 0) paint = Number(await page.evaluate(script));
  await page.close();
  return paint;
}
