import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { withoutSigningKey } from '../../core/child-environment.ts';
import type { Host } from '../host.ts';
import { playwrightCommand } from '../shared/playwright-command.ts';

// Without a test folder, Playwright refuses to merge shards that ran in different folders.
const CONFIG = "export default { testDir: '.' };\n";

/**
 * Writes Playwright's own report of a merged run from the blobs of its shards.
 *
 * @param into folder to create
 * @returns why it was not written, as a clause; null on success
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
    const args = [command, 'merge-reports', '--config', config, '--reporter', 'html', scratch];
    const result = await runProcess(args, scratch, {
      ...withoutSigningKey(env),
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_HTML_OUTPUT_DIR: path.resolve(into),
    });
    return result.status === 0 ? null : `Playwright says ${firstLine(result.message)}`;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function runProcess(
  args: readonly string[],
  cwd: string,
  env: Host['env'],
): Promise<{ readonly status: number | null; readonly message: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
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
