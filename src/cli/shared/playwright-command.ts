import { createRequire } from 'node:module';

/** Playwright's command-line script; null if Playwright is not installed. */
export function playwrightCommand(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@playwright/test/cli');
  } catch {
    return null;
  }
}
