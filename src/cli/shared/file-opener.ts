import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { withoutSigningKey } from '../../core/child-environment.ts';
import type { Host } from '../host.ts';
import { UsageError } from './usage-error.ts';

/** How long an opener is watched for giving up, in milliseconds. One that is a browser itself runs on. */
const WATCHED_MS = 3000;

/**
 * Shows a file in the user's browser: by $BROWSER where it is set, otherwise as the system opens such files.
 *
 * @throws UsageError where nothing can show it
 */
export async function openFile(file: string, env: Host['env']): Promise<void> {
  const [command, words] = opener(env, pathToFileURL(path.resolve(file)).href);
  const child = spawn(command, words, { detached: true, stdio: 'ignore', env: withoutSigningKey(env) });
  const failure = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), WATCHED_MS);
    const settle = (failed: string | null): void => {
      clearTimeout(timer);
      resolve(failed);
    };
    child.once('error', () => settle(`there is no ${command}`));
    child.once('exit', (code) => settle(code === 0 ? null : `${command} found no browser`));
  });
  child.unref();
  if (failure !== null)
    throw new UsageError(`${failure} to show ${file} with; open it yourself, or name a browser in BROWSER`);
}

function opener(env: Host['env'], address: string): readonly [command: string, words: readonly string[]] {
  const browser = env['BROWSER'];
  if (browser !== undefined && browser !== '') return [browser, [address]];
  if (process.platform === 'darwin') return ['open', [address]];
  if (process.platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}
