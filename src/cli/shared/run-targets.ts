import { readFileSync } from 'node:fs';
import { requirements } from '../../../specs/catalogue.ts';
import { type ConformOptions, TARGETS_AT_ONCE } from '../../run/conform-options.ts';
import { proxyWarnings } from '../../run/proxy-warnings.ts';
import { expectKnownVariables, hasEnvironmentTarget, withEnvFile } from '../../target/environment.ts';
import { loadTargets } from '../../target/load.ts';
import { DEFAULT_LIMITS, REFERENCE_RECORDS, referenceClockRate, referenceTarget } from '../../target/make.ts';
import type { Target } from '../../target/target.ts';
import {
  type ExitStatus,
  type Host,
  printOnStandardError,
  STOPPING,
  UsageError,
  watchInterruption,
} from '../command.ts';

/** Files that Assay and Node.js keep open, besides connections. */
const OWN_FILES = 128;

interface TargetOptions {
  readonly files: readonly string[];
  /** A file of environment variables; null for `.env` beside each target file. */
  readonly envFile: string | null;
  readonly maxRequests?: number | null;
  /** Requests per second. */
  readonly rate?: number | null;
  readonly expiry?: boolean;
}

/** The targets of a run; call `close` after the run. */
export interface RunTargets {
  readonly targets: readonly Target[];
  readonly warnings: readonly string[];
  readonly customChecks: NonNullable<ConformOptions['customChecks']>;
  readonly close: () => Promise<void>;
}

/** The targets of a run: the files, or the target in the environment, or else the embedded reference provider. */
export async function openTargets(options: TargetOptions, env: Host['env']): Promise<RunTargets> {
  const { files, envFile } = options;
  const targetEnv = files.length > 0 || envFile === null ? env : withEnvFile(env, envFile);
  if (files.length === 0) expectKnownVariables(targetEnv);
  if (files.length === 0 && !hasEnvironmentTarget(targetEnv)) {
    if (envFile === null) return openReference(options);
    throw new UsageError(
      `no target file is named, and ${envFile} sets no ASSAY_ variable of a target; name a file or set the variables`,
    );
  }
  const loaded = await loadTargets({
    files,
    env: targetEnv,
    envFile: files.length === 0 ? null : envFile,
    flags: options,
    knownRequirements: requirements.map((one) => one.id),
  });
  expectOpenFiles(maxConnections(loaded.targets));
  return {
    ...loaded,
    warnings: [...loaded.warnings, ...loaded.targets.flatMap((target) => proxyWarnings(target, env))],
    ...(await customChecksIn(loaded.targets)),
  };
}

/** Opens targets for work that Ctrl+C may stop, reports warnings about them, and closes them after the work. */
export async function withTargets(
  options: TargetOptions,
  host: Host,
  work: (targets: readonly Target[], signal: AbortSignal) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const opened = await openTargets(options, host.env);
  const interruption = watchInterruption(() => host.warn(STOPPING));
  try {
    opened.warnings.forEach(host.warn);
    return await work(opened.targets, interruption.signal);
  } finally {
    interruption.dispose();
    await opened.close();
  }
}

/** The custom checks of targets. Until they are closed, no check may end the process with a status that means a verdict. */
async function customChecksIn(
  targets: readonly Target[],
): Promise<Pick<RunTargets, 'customChecks' | 'close'>> {
  const files = targets.flatMap(({ checks }) => checks);
  if (files.length === 0) return { customChecks: () => [], close: async () => undefined };
  // The module is loaded only if a target names checks.
  const { customChecksOf, startExitGuard, startRejectionGuard } = await import('../../run/custom-checks.ts');
  const endPrinting = printOnStandardError();
  const checks = await customChecksOf(targets);
  // What a check started may go on after it: a timer, or a check that was stopped at a limit.
  const guards = [startExitGuard(files), startRejectionGuard(files), endPrinting];
  const close = async (): Promise<void> => {
    for (const end of guards) end();
  };
  return { customChecks: (target) => checks.get(target) ?? [], close };
}

function maxConnections(targets: readonly Target[]): number {
  const concurrencies = targets.map(({ limits }) => limits.concurrency).toSorted((one, other) => other - one);
  return concurrencies.slice(0, TARGETS_AT_ONCE).reduce((sum, concurrency) => sum + concurrency, 0);
}

async function openReference(options: TargetOptions): Promise<RunTargets> {
  const { expiry = false } = options;
  // Both ends of each connection are in this process.
  expectOpenFiles(2 * DEFAULT_LIMITS.concurrency);
  const { startMock } = await import('../../mock/index.ts');
  const mock = await startMock({ records: REFERENCE_RECORDS, clockRate: referenceClockRate(expiry) });
  const target = referenceTarget(mock, { ...options, expiry });
  return { targets: [target], warnings: [], customChecks: () => [], close: () => mock.close() };
}

/**
 * Checks that this process may open enough files and connections. Beyond the limit, connections fail as if the
 * provider failed. Node.js has already raised the soft limit to the hard limit. Throws UsageError if the limit is too
 * low; never without /proc (all systems but Linux).
 *
 * @param connections maximum number of simultaneous connections; counts both ends if Assay serves the provider itself
 */
export function expectOpenFiles(connections: number): void {
  const limit = openFileLimit();
  const needed = OWN_FILES + connections;
  if (limit === null || limit >= needed) return;
  throw new UsageError(
    `this process may have only ${limit} files and connections open, and ${needed} are needed; raise the limit where it is set (ulimit -Hn in a shell, LimitNOFILE of a service, --ulimit nofile of a container)`,
  );
}

function openFileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/mu.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
