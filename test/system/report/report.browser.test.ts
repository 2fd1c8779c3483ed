import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderHtml } from '../../../src/report/formats/html.tsx';
import { writePdf } from '../../../src/report/formats/pdf.ts';
import { chromiumPath, launch, overflowOf, WIDTHS, watch } from '../../support/browser.ts';
import { large, PAGES } from '../../support/report/page-samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('browser');

describe.skipIf(chromiumPath === null)('report.html in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function open(name: string, html: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const file = path.join(folder, `${name}.html`);
    writeFileSync(file, html);
    // A context of its own, which is what axe opens its blank page in.
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const watched = watch(page);
    await page.goto(pathToFileURL(file).href);
    return { page, watched, file };
  }

  describe.each(Object.entries(PAGES))('%s', (name, make) => {
    test('loads nothing, fits 390 and 1280 px, and satisfies axe', async () => {
      const html = await renderHtml(await make());
      expect(html.length).toBeLessThan(1_000_000);
      // Colours and wide layouts are the same on all pages, so they are tested where every verdict is.
      for (const colorScheme of name === 'mixed' ? (['light', 'dark'] as const) : (['light'] as const)) {
        const { page, watched, file } = await open(name, html, { colorScheme });
        expect(watched).toEqual({ complaints: [], requests: [pathToFileURL(file).href] });
        await page.evaluate(() => {
          for (const fold of document.querySelectorAll('article details, .fold, .rests-on'))
            fold.setAttribute('open', '');
        });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          expect(await overflowOf(page)).toEqual({ scrolls: false, cut: [] });
          if (width !== WIDTHS[0] && name !== 'mixed') continue;
          // The many rows of one table are alike, and so are cards of failures; axe is slow on those.
          const { violations } = await new AxeBuilder({ page })
            .exclude('tbody:nth-of-type(n+4)')
            .exclude('article.card:nth-of-type(n+6)')
            .analyze();
          expect(violations.map(({ id, nodes }) => [colorScheme, width, id, nodes[0]?.html])).toEqual([]);
        }
        await page.context().close();
      }
    });
  });

  test('filters the requirements, and keeps the filter in the URL', async () => {
    const { page } = await open('filter', await renderHtml(await make('mixed')));
    await page.selectOption('select[name=verdict]', 'fail');
    await page.fill('input[name=text]', 'offset');
    expect(await page.locator('tr[data-verdict]:visible').count()).toBe(1);
    expect(page.url()).toContain('#requirements?verdict=fail&text=offset');
    await page.reload();
    await page.locator('output', { hasText: '1 of 8 shown' }).waitFor();
    expect(await page.locator('tr[data-verdict]:visible').count()).toBe(1);
    await page.context().close();
  });

  test('filters by list where there are several', async () => {
    const { page } = await open('lists', await renderHtml(await make('many failures')));
    await page.selectOption('select[name=list]', 'scanners');
    expect(await page.locator('tr[data-verdict]:visible').count()).toBe(3);
    expect(page.url()).toContain('#requirements?list=scanners');
    await page.context().close();
  });

  test('stacks the cells of targets in a narrow window', async () => {
    const narrow = { viewport: { width: 360, height: 800 } };
    const { page } = await open('stacked', await renderHtml(await make('many targets')), narrow);
    const row = page.locator('table.targets tbody tr').first();
    for (const cell of [row.locator('th'), row.locator('.outcome'), row.locator('.finding')]) {
      const box = await cell.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
    }
    expect(await row.evaluate((element) => element.clientHeight)).toBeLessThan(190);
    await page.context().close();
  });

  test('is usable by keyboard only', async () => {
    const { page } = await open('keys', await renderHtml(await make('mixed')));
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.textContent ?? null);
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Skip to the findings');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#main$/u);
    // The next stop is the first thing in the findings: what the failure's answer holds, or its copy button.
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    await page.locator('.fold > summary').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('.fold[open]').first().waitFor();
    await page.locator('input[name=text]').focus();
    await page.keyboard.type('offset');
    await page.locator('output', { hasText: '1 of 8 shown' }).waitFor();
    await page.locator('button.copy').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('button.copy', { hasText: /Copied|Press/u }).waitFor();
    await page.context().close();
  });

  test('copies the curl line, and opens the exchange that a failure links to', async () => {
    const { page } = await open('copy', await renderHtml(await make('mixed')));
    await page.locator('button.copy').first().click();
    await page.locator('button.copy', { hasText: /Copied|Press/u }).waitFor();
    await page.locator('article a', { hasText: /^17$/u }).first().click();
    // The exchange opens on the browser's hashchange event, which comes after the click has returned.
    await page.locator('#exchange-1-17').waitFor();
    expect(await page.locator('#exchange-1-17').isVisible()).toBe(true);
    await page.context().close();
  });

  test('is complete without script', async () => {
    const html = await renderHtml(await make('mixed'));
    const { page } = await open('still', html, { javaScriptEnabled: false });
    expect(await page.locator('h1').innerText()).toMatch(/non-conformant/iu);
    expect(await page.locator('form.filter').isVisible()).toBe(false);
    expect(await page.locator('button.copy:visible').count()).toBe(0);
    await page.locator('article a', { hasText: /^18$/u }).first().click();
    await page.locator('#exchange-1-18').waitFor();
    const box = await page.locator('#exchange-1-18').boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(300);
    await page.context().close();
  });

  test('of 5,000 exchanges is smaller than 5 MB and contains the last exchange', async () => {
    const html = await renderHtml(await large(5000));
    expect(html.length).toBeLessThan(5_000_000);
    const { page } = await open('large', html);
    expect(await page.locator('#exchange-1-5000').count()).toBe(1);
    await page.context().close();
  });

  test('prints to a tagged PDF with an outline, without interactive elements', async () => {
    const file = path.join(folder, 'print.html');
    writeFileSync(file, await renderHtml(await make('mixed')));
    const place = path.join(folder, 'print.pdf');
    await writePdf(file, place);
    const text = readFileSync(place, 'latin1');
    expect(text).toMatch(/\/MarkInfo\s*<<\s*\/Type\s*\/MarkInfo\s*\/Marked true|\/Marked true/u);
    expect(text).toContain('/Outlines');
    const pages = text.match(/\/Type\s*\/Page\b/gu)?.length ?? 0;
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThan(15);
    expect(statSync(place).size).toBeLessThan(3_000_000);
  });

  function make(name: string) {
    const found = PAGES[name];
    if (found === undefined) throw new Error(`there is no page ${name}`);
    return found();
  }
});
