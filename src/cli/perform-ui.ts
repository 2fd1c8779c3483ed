import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ownModule } from '../core/package-file.ts';
import type { Arguments } from './command.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import type { Host } from './host.ts';
import { playwrightCommand } from './playwright-command.ts';
import { type RunOptions, readRunOptions } from './run-options.ts';
import { UsageError } from './usage-error.ts';

/** Options of a run that Playwright's UI mode has no place for. */
const WITHOUT_PLACE = [
  'allow-inconclusive',
  'baseline',
  'format',
  'issuer',
  'json',
  'max-requests',
  'out',
  'quiet',
  'rate',
  'shard',
  'sign',
  'strict',
] as const;

/**
 * Carries out `assay run --ui`: opens Playwright's UI mode on the checks. Where there is no display to open it on, its
 * address on loopback is printed.
 *
 * @throws UsageError where Playwright is not installed, or an option does not go with it
 */
export async function performUi(args: Arguments, host: Host): Promise<ExitStatus> {
  const alone = WITHOUT_PLACE.find((name) => args[name] !== undefined && args[name] !== false);
  if (alone !== undefined) throw new UsageError(`--ui does not go with --${alone}`);
  const options = readRunOptions(args);
  const missing = options.files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new UsageError(`${missing}: the file does not exist`);
  const comma = options.files.find((file) => file.includes(','));
  if (comma !== undefined)
    throw new UsageError(`--ui takes no target file with a comma in its name: ${comma}`);
  const command = playwrightCommand();
  if (command === null) throw new UsageError('--ui needs Playwright: npm install @playwright/test');
  const words = [
    command,
    'test',
    '--ui',
    '--config',
    ownModule('src/playwright/config'),
    ...(hasDisplay(host.env) ? [] : LOOPBACK),
  ];
  const child = spawn(process.execPath, words, {
    stdio: 'inherit',
    env: { ...host.env, ...environmentOf(options) },
  });
  const stop = (signal: NodeJS.Signals): boolean => child.kill(signal);
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop);
  const [status, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  if (signal !== null || status === 130) return EXIT.interrupted;
  return status === 0 ? EXIT.ok : EXIT.notCarriedOut;
}

const LOOPBACK = ['--ui-host', '127.0.0.1', '--ui-port', '0'];

function hasDisplay({ DISPLAY, WAYLAND_DISPLAY }: Host['env']): boolean {
  return process.platform !== 'linux' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
}

/** What a run is told in its options, as Playwright's configuration reads it. */
function environmentOf(options: RunOptions): Record<string, string> {
  const { files, suite, only, skip, seed, runs, expiry } = options;
  return {
    ...(files.length === 0 ? {} : { ASSAY_TARGETS: files.map((file) => path.resolve(file)).join(',') }),
    ASSAY_SUITE: suite,
    ...(only.length === 0 ? {} : { ASSAY_ONLY: only.join(',') }),
    ...(skip.length === 0 ? {} : { ASSAY_SKIP: skip.join(',') }),
    ASSAY_SEED: String(seed),
    ...(runs === null ? {} : { ASSAY_RUNS: String(runs) }),
    ...(expiry ? { ASSAY_EXPIRY: '1' } : {}),
  };
}
