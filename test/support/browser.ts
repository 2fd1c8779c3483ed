import { type Browser, chromium, type Page } from '@playwright/test';
import { browserIn } from '../../src/report/formats/pdf.ts';

/** The Chromium of this machine; null where there is none, and tests that need one are skipped. */
export const chromiumPath: string | null = browserIn(process.env);

/** Starts it. */
export function launch(): Promise<Browser> {
  if (chromiumPath === null) throw new Error('there is no Chromium here');
  // A sandbox cannot be had as root, which is what containers run as.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumPath, args });
}

/** What a page complained of or tried to load while it was shown. */
export interface Watched {
  readonly complaints: string[];
  readonly requests: string[];
}

/** Notes errors, refusals of the page's policy and requests to anywhere. */
export function watch(page: Page): Watched {
  const watched: Watched = { complaints: [], requests: [] };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') watched.complaints.push(message.text());
  });
  page.on('pageerror', (error) => watched.complaints.push(error.message));
  page.on('dialog', (dialog) => {
    watched.complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => watched.requests.push(request.url()));
  return watched;
}
