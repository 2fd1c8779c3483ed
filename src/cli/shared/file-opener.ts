import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Host, UsageError } from '../command.ts';

/** Time to wait for the opener to fail, in milliseconds. A browser keeps running. */
const FAILURE_WINDOW_MS = 3000;

/** Opens a file in the user's browser: with $BROWSER if set, otherwise with the opener of the system. */
export async function openFile(file: string, env: Host['env']): Promise<void> {
  const [command, words] = opener(env, pathToFileURL(path.resolve(file)).href);
  const { ASSAY_SIGNING_KEY: _key, ...ownEnv } = env;
  const child = spawn(command, words, { detached: true, stdio: 'ignore', env: ownEnv });
  const failure = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), FAILURE_WINDOW_MS);
    const finish = (failed: string | null): void => {
      clearTimeout(timer);
      resolve(failed);
    };
    child.once('error', () => finish(`there is no ${command}`));
    child.once('exit', (code) => finish(code === 0 ? null : `${command} found no browser`));
  });
  child.unref();
  if (failure !== null)
    throw new UsageError(`cannot open ${file}: ${failure}; open it yourself, or set BROWSER`);
}

function opener(env: Host['env'], address: string): readonly [command: string, words: readonly string[]] {
  const browser = env['BROWSER'];
  if (browser !== undefined && browser !== '') return [browser, [address]];
  if (process.platform === 'darwin') return ['open', [address]];
  if (process.platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}
