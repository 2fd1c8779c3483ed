import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Host } from './host.ts';
import { UsageError } from './usage-error.ts';

/**
 * Shows a file in the user's browser: by $BROWSER where it is set, otherwise as the system opens such files.
 *
 * @throws UsageError where nothing can show it
 */
export async function openFile(file: string, env: Host['env']): Promise<void> {
  const address = pathToFileURL(path.resolve(file)).href;
  const [command, words] = opener(env, address);
  const child = spawn(command, words, { detached: true, stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () =>
      reject(new UsageError(`there is no ${command} to show ${file} with; open it yourself`)),
    );
  });
  child.unref();
}

function opener(env: Host['env'], address: string): readonly [command: string, words: readonly string[]] {
  const browser = env['BROWSER'];
  if (browser !== undefined && browser !== '') return [browser, [address]];
  if (process.platform === 'darwin') return ['open', [address]];
  if (process.platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}
