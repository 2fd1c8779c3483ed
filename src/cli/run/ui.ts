import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ownModule } from '../../core/package-file.ts';
import { withEnvFile } from '../../target/environment.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, UsageError } from '../command.ts';
import { type RunOptions, readRunOptions } from './options.ts';

const NOT_WITH_UI = [
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

/** Opens the checks in Playwright's UI mode. Without a display, prints its address on loopback. */
export async function performUi(args: Arguments, host: Host): Promise<ExitStatus> {
  const option = NOT_WITH_UI.find((name) => args[name] !== undefined && args[name] !== false);
  if (option !== undefined) throw new UsageError(`--ui cannot be combined with --${option}`);
  const options = readRunOptions(args);
  const missing = options.files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new UsageError(`${missing}: the file does not exist`);
  const comma = options.files.find((file) => file.includes(','));
  if (comma !== undefined)
    throw new UsageError(`--ui accepts no target file with a comma in its name: ${comma}`);
  const environment = options.envFile === null ? host.env : withEnvFile(host.env, options.envFile);
  const command = playwrightCommand();
  if (command === null) throw new UsageError('--ui needs Playwright: npm install @playwright/test');
  const { DISPLAY, WAYLAND_DISPLAY } = host.env;
  const hasDisplay = process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
  const commandArgs = [
    command,
    'test',
    '--ui',
    '--config',
    ownModule('src/playwright/config'),
    ...(hasDisplay ? [] : LOOPBACK),
  ];
  const child = spawn(process.execPath, commandArgs, {
    stdio: 'inherit',
    // Nothing is signed there.
    env: { ...environment, ...environmentOf(options), ASSAY_SIGNING_KEY: undefined },
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

/** The options as environment variables, which Playwright's configuration reads. */
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

/** Playwright's command-line script; null if Playwright is not installed. */
function playwrightCommand(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@playwright/test/cli');
  } catch {
    return null;
  }
}
