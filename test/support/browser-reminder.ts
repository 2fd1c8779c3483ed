import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Reports which browser tests (`*.browser.test.ts`) were skipped, and how to run them. */
export class BrowserReminder implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .filter((module) => module.moduleId.endsWith('.browser.test.ts') && module.state() === 'skipped')
      .map((module) => path.relative(process.cwd(), module.moduleId));
    if (skipped.length === 0) return;
    console.log(
      `Browser tests skipped, no Chromium found: ${skipped.toSorted().join(', ')}. To run them: npx playwright install chromium, or set ASSAY_BROWSER to a Chromium.`,
    );
  }
}
