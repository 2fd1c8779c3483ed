import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { withoutSigningKey } from '../../core/child-environment.ts';
import type { Host } from '../host.ts';
import { playwrightCommand } from '../shared/playwright-command.ts';

// Shards may have run in different folders; Playwright refuses to choose one without this.
const CONFIG = "export default { testDir: '.' };\n";

/**
 * Writes Playwright's own report of a merged run from the blobs of its shards.
 *
 * @param into a folder, which is created
 * @returns why it was not written, as half a sentence; null if it was
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
    const ended = await spawned(words, scratch, {
      ...withoutSigningKey(env),
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_HTML_OUTPUT_DIR: path.resolve(into),
    });
    return ended.status === 0 ? null : `Playwright says ${firstLine(ended.message)}`;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function spawned(
  words: readonly string[],
  cwd: string,
  env: Host['env'],
): Promise<{ readonly status: number | null; readonly message: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let message = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      message += text;
    });
    child.on('error', reject).on('close', (status) => resolve({ status, message }));
  });
}

function firstLine(message: string): string {
  const line = message.split('\n').find((one) => one.trim() !== '');
  return line === undefined ? 'nothing' : `"${line.trim().replace(/^Error: /u, '')}"`;
}
