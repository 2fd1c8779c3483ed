import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { withoutSigningKey } from '../../core/child-environment.ts';
import type { Host } from '../host.ts';
import { playwrightCommand } from '../shared/playwright-command.ts';

// Shards may have run in folders of different names; of two, Playwright would not know which to show.
const CONFIG = "export default { testDir: '.' };\n";

/**
 * Makes Playwright's own report of a whole run from the blobs of its shards. Its verdict is left aside: `merge-reports`
 * exits 0 whatever failed.
 *
 * @param into a folder, which it makes
 * @returns why there is none, as half a sentence; null where there is
 */
export async function writePlaywrightReport(
  blobs: readonly string[],
  into: string,
  env: Host['env'],
): Promise<string | null> {
  const command = playwrightCommand();
  if (command === null) return 'it needs npm install @playwright/test';
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'assay-merge-'));
  try {
    const config = path.join(scratch, 'playwright.config.mjs');
    await writeFile(config, CONFIG);
    for (const [place, blob] of blobs.entries())
      await copyFile(blob, path.join(scratch, `report-${String(place).padStart(4, '0')}.zip`));
    const words = [command, 'merge-reports', '--config', config, '--reporter', 'html', scratch];
    const ended = await carriedOut(words, scratch, {
      ...withoutSigningKey(env),
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_HTML_OUTPUT_DIR: path.resolve(into),
    });
    return ended.status === 0 ? null : `Playwright says ${firstLine(ended.told)}`;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function carriedOut(
  words: readonly string[],
  cwd: string,
  env: Host['env'],
): Promise<{ readonly status: number | null; readonly told: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    child.on('error', reject).on('close', (status) => resolve({ status, told }));
  });
}

function firstLine(told: string): string {
  const line = told.split('\n').find((one) => one.trim() !== '');
  return line === undefined ? 'nothing' : `"${line.trim().replace(/^Error: /u, '')}"`;
}
