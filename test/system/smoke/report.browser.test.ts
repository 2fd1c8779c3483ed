import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { chromiumPath, launch, watch } from '../../support/browser.ts';
import { built } from '../../support/built.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cwd = temporaryFolder('report');

describe.skipIf(chromiumPath === null)('report.html of a run', () => {
  test('opens from disk without errors or requests, and filters its requirements', async () => {
    const { status } = await built.start(['run', '--suite', 'smoke', '--quiet', '--out', 'run'], { cwd })
      .ended;
    expect(status).toBe(0);
    const address = pathToFileURL(path.join(cwd, 'run', 'report.html')).href;
    const browser = await launch();
    try {
      const page = await browser.newPage();
      const watched = watch(page);
      await page.goto(address);
      expect(watched).toEqual({ complaints: [], requests: [address] });
      await page.selectOption('select[name=verdict]', 'pass');
      await page.fill('input[name=text]', 'token/issued');
      await page.locator('tr[data-verdict]:visible').waitFor();
      expect(await page.locator('tr[data-verdict]:visible').count()).toBe(1);
    } finally {
      await browser.close();
    }
  });
});
