import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Browser } from '@playwright/test';
import { startMock } from '../src/mock/index.ts';

/** Milliseconds for the whole suite in UI mode. */
const RUN_MS = 120_000;

/** Takes a screenshot of Playwright's UI mode after a run against a provider with a defect. */
export async function takeUiScreenshot(browser: Browser, folder: string, file: string): Promise<void> {
  const mock = await startMock({ records: 1234, defects: ['skip-in-pages'] });
  const { authUrl, baseUrl, tenant, credentials } = mock;
  const limits = { requestsPerSecond: 1000 };
  const target = path.join(folder, 'acme-staging.json');
  writeFileSync(
    target,
    JSON.stringify({ name: 'acme-staging', authUrl, baseUrl, tenant, credentials, limits }),
    {
      mode: 0o600,
    },
  );
  const command = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const ui = spawn(process.execPath, [command, 'test', '--ui-host', '127.0.0.1', '--ui-port', '0'], {
    env: { ...process.env, ASSAY_TARGETS: target },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(await addressPrintedBy(ui.stdout));
    await page.getByTitle('Run all').click();
    await page.getByText('(100%)').waitFor({ timeout: RUN_MS });
    const failure = page.getByRole('treeitem', { name: /link\/offset/u }).first();
    await failure.click();
    await page.getByRole('tab', { name: /Errors/u }).click();
    await page.screenshot({ path: file });
    await page.close();
  } finally {
    ui.kill('SIGTERM');
    await once(ui, 'exit');
    await mock.close();
  }
}

async function addressPrintedBy(output: Readable): Promise<string> {
  let text = '';
  // The process must be able to print more: with its output destroyed, it would end with EPIPE.
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const address = /http:\/\/127\.0\.0\.1:\d+\S*/u.exec(text)?.[0];
    if (address === undefined) continue;
    output.resume();
    return address;
  }
  throw new Error(`Playwright printed no address: ${text}`);
}
