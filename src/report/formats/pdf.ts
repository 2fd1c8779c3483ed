import { accessSync, constants } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserType } from '@playwright/test';
import { codeOf, messageOf } from '../../core/system-error.ts';
import { FormatError, type ReportData } from '../report-data.ts';
import { renderHtml } from './html.tsx';

/** Environment variables that a browser needs: of all systems, of Unix and of Windows, which ignores letter case. */
const NEEDED_VARIABLES = [
  /^(?:PATH|HOME|TMPDIR|TMP|TEMP|TZ|USER|LANG|LANGUAGE|LC_.*)$/isu,
  /^(?:DISPLAY|WAYLAND_DISPLAY|LD_LIBRARY_PATH|FONTCONFIG_.*|XDG_.*)$/isu,
  /^(?:SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|(?:LOCAL)?APPDATA|PROGRAMDATA|PROGRAMFILES(?:\(X86\))?|USERPROFILE)$/isu,
];

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'];

/** Prints the page of the run. report.html stays as it is: the manifest of a run has its digest. */
export async function writePdfReport(data: ReportData, place: string): Promise<void> {
  // Next to the PDF, because a browser may not read the system's temporary folder.
  const page = `${place}.html`;
  try {
    await writeFile(page, await renderHtml(data));
    await writePdf(page, place);
  } finally {
    await rm(page, { force: true });
  }
}

/** Prints a page to a tagged PDF with an outline, with the system's Chromium or Playwright's own. Throws FormatError. */
export async function writePdf(
  page: string,
  place: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const chromium = await driver();
  const executablePath = browserIn(env) ?? usable(chromium.executablePath());
  if (executablePath === null)
    throw new FormatError(
      'the PDF needs Chromium, which was not found: install chromium or google-chrome, or run npx playwright install chromium',
    );
  // Chromium's sandbox does not work as root, for example in containers. The page is Assay's own and loads nothing.
  const root = process.getuid?.() === 0;
  try {
    const browser = await chromium.launch({
      executablePath,
      args: root ? ['--no-sandbox'] : [],
      env: browserEnvironment(env),
    });
    try {
      const tab = await browser.newPage();
      await tab.goto(pathToFileURL(path.resolve(page)).href);
      await tab.pdf({
        path: place,
        format: 'A4',
        tagged: true,
        outline: true,
        printBackground: true,
        preferCSSPageSize: true,
        displayHeaderFooter: true,
        headerTemplate: '<span></span>',
        footerTemplate: FOOTER,
        margin: { top: '16mm', bottom: '16mm', left: '14mm', right: '14mm' },
      });
    } finally {
      await browser.close();
    }
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    throw new FormatError(`${executablePath} could not print the PDF: ${reason}`);
  }
}

// Playwright is an optional dependency, since most runs print no PDF.
async function driver(): Promise<BrowserType> {
  try {
    return (await import('@playwright/test')).chromium;
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND')
      throw new FormatError('the PDF needs Playwright, which is not installed: npm install @playwright/test');
    throw error;
  }
}

const FOOTER =
  '<div style="width:100%;font-size:7pt;text-align:center;color:#555">' +
  '<span class="pageNumber"></span> of <span class="totalPages"></span></div>';

/** The system's Chromium: ASSAY_BROWSER, or the first known name on the PATH; null if there is none. */
export function browserIn(env: NodeJS.ProcessEnv): string | null {
  const named = env['ASSAY_BROWSER'];
  if (named !== undefined && named !== '') return usable(named);
  for (const folder of (env['PATH'] ?? '').split(path.delimiter).filter((one) => one !== '')) {
    for (const name of NAMES) {
      const found = usable(path.join(folder, process.platform === 'win32' ? `${name}.exe` : name));
      if (found !== null) return found;
    }
  }
  return null;
}

function usable(file: string): string | null {
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return null;
  }
}

/** The environment for a browser that prints a page, without secrets and signing keys. */
function browserEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isNeeded = (name: string): boolean => NEEDED_VARIABLES.some((names) => names.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNeeded(name)));
}
