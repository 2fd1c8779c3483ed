import { createRequire } from 'node:module';

/** The file that carries out Playwright's commands; null where it is not installed. */
export function playwrightCommand(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@playwright/test/cli');
  } catch {
    return null;
  }
}
