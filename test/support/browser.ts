import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from '@playwright/test';
import { browserIn } from '../../src/report/formats/pdf.ts';

/**
 * The system's Chromium or the one installed by Playwright; if null, tests that need a browser are skipped.
 */
export const chromiumPath: string | null = found();

function found(): string | null {
  const system = browserIn(process.env);
  if (system !== null || process.env['ASSAY_BROWSER'] !== undefined) return system;
  const installed = chromium.executablePath();
  if (!existsSync(installed)) return null;
  // Assay prints PDFs with this browser.
  process.env['ASSAY_BROWSER'] = installed;
  return installed;
}

/** Starts the browser. */
export function launch(): Promise<Browser> {
  if (chromiumPath === null) throw new Error('no Chromium was found');
  // Chromium has no sandbox as root, and containers run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumPath, args });
}

/** Errors of a page, and requests that it tried to send. */
interface Watched {
  readonly complaints: string[];
  readonly requests: string[];
}

/** Records errors, policy violations and requests of a page. */
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

/** Page widths in pixels: a phone and a desktop window. */
export const WIDTHS = [390, 1280] as const;

/**
 * Whether a page scrolls horizontally, and which elements are cut off. Tables of histories, sweeps and
 * charts, code in a wide window, and the navigation scroll separately: they may be cut off only in a narrow
 * window, and only the first ones.
 */
export function overflowOf(
  page: Page,
): Promise<{ readonly scrolls: boolean; readonly cut: readonly string[] }> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const scrollsAlone = '.heat, .sweep, figure, .unseen, .skip-link';
    const cut = [...document.querySelectorAll('main *, header *, nav *')].filter((element) => {
      const { right, width } = element.getBoundingClientRect();
      return width > 0 && right > clientWidth + 1 && element.closest(`pre, ${scrollsAlone}`) === null;
    });
    const scrolled = [...document.querySelectorAll('.scroll, .excerpt, .contents ul')].filter(
      (element) =>
        clientWidth < 500 &&
        element.clientWidth > 0 &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.closest(scrollsAlone) === null &&
        element.querySelector(scrollsAlone) === null,
    );
    return {
      scrolls: scrollWidth > clientWidth,
      cut: [...cut, ...scrolled].map((element) => element.outerHTML.slice(0, 120)),
    };
  });
}
