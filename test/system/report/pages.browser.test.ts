import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReportServer } from '../../../src/cli/serve/server.ts';
import { renderCertificate } from '../../../src/report/certificate.tsx';
import { writeReports } from '../../../src/report/folder/report-writer.ts';
import { renderHistory } from '../../../src/report/history/history-page.tsx';
import { renderProveHtml } from '../../../src/report/prove/prove-page.tsx';
import { chromiumPath, launch, overflowOf, WIDTHS, watch } from '../../support/browser.ts';
import { proveHere } from '../../support/prove.ts';
import { dataOf, hostile, mixed } from '../../support/report/sample.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('pages');
const FACTS = { digest: '0123456789abcdef'.repeat(4), keyId: null, prove: null };

/** Pages that open from disk, besides report.html. */
const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  history: () =>
    renderHistory([
      { link: 'a/report.html', results: mixed() },
      { link: 'b/report.html', results: { ...mixed(), run: { ...mixed().run, id: 'later' } } },
      { link: 'c/report.html', results: hostile() },
    ]),
  certificate: () => renderCertificate(mixed(), FACTS),
  'hostile certificate': () => renderCertificate(hostile(), FACTS),
  proof: async () => renderProveHtml(await proveHere({ only: ['count-null', 'total-1'] })),
};

describe.skipIf(chromiumPath === null)('pages in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function newPage(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme });
    return context.newPage();
  }

  async function faultsOf(page: Page): Promise<readonly unknown[]> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
  }

  const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

  test.each(Object.entries(PAGES))(
    '%s loads nothing, fits 390 and 1280 px, and satisfies axe, light and dark',
    async (name, make) => {
      const file = path.join(folder, `${name}.html`);
      writeFileSync(file, await make());
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await newPage(colorScheme);
        const watched = watch(page);
        await page.goto(pathToFileURL(file).href);
        expect(watched).toEqual({ complaints: [], requests: [pathToFileURL(file).href] });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          expect(await overflowOf(page)).toEqual({ scrolls: false, cut: [] });
        }
        expect([colorScheme, await faultsOf(page)]).toEqual([colorScheme, []]);
        await page.context().close();
      }
    },
  );

  test('assay serve shows verdicts as they arrive, and the run once it has finished', async () => {
    const runs = path.join(folder, 'runs');
    const staging = path.join(runs, '.20261121-120000-000-aaaaaa');
    mkdirSync(staging, { recursive: true });
    const server = await startReportServer(runs, 0);
    const page = await newPage();
    const watched = watch(page);
    try {
      await page.goto(server.address);
      await page.locator('#state', { hasText: 'live' }).waitFor();
      const line = (type: string, more: object): string =>
        `${JSON.stringify({ type, target: 'acme', ...more })}\n`;
      const started = line('target-started', { requirements: 5 });
      const progress = path.join(staging, 'progress.ndjson');
      writeFileSync(
        progress,
        started + line('verdict', { id: 'token/issued', verdict: 'pass', reason: null }),
      );
      await page.getByText('1 of 5 requirements judged').waitFor();
      const failed = { id: 'link/offset', verdict: 'fail', reason: '<img src=x onerror=alert(1)>' };
      writeFileSync(progress, started + line('verdict', failed) + line('progress', { requests: 12 }));
      await page.locator('.arrived', { hasText: '<img src=x' }).waitFor();
      await page.getByText('12 requests').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await writeReports(dataOf(mixed()), staging, []);
      rmSync(progress);
      renameSync(staging, path.join(runs, '20261121-120000-000-aaaaaa'));
      await page.getByRole('link', { name: '20261121-120000-000-aaaaaa' }).waitFor();
      expect(await page.getByText('Running:').count()).toBe(0);
      expect(await page.locator('#ended').textContent()).toContain('non-conformant');
      expect(await faultsOf(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 800 });
      expect(await widthOf(page)).toBeLessThanOrEqual(360);
      await page.getByRole('link', { name: '20261121-120000-000-aaaaaa' }).click();
      await page.locator('h1.stamp').waitFor();
      expect(watched.complaints).toEqual([]);
    } finally {
      await page.context().close();
      await server.close();
    }
  });
});
