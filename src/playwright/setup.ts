import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import { messageOf } from '../core/system-error.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { startMock } from '../mock/index.ts';
import { RunFolder } from '../report/folder/run-folder.ts';
import { REFERENCE_RECORDS, referenceClockRate } from '../target/make.ts';
import { secretsOf, type Target } from '../target/target.ts';
import { errorWithoutStack } from './breach-error.ts';
import { HostedRun } from './hosted-run.ts';
import { SOCKET, serveJudging } from './judging-server.ts';
import { isExpirySelected, isInteractive, needsReferenceProvider, readPlan } from './run-plan.ts';

/**
 * Playwright's global setup: holds the sessions of all targets in the runner, judges for the workers, and starts the
 * embedded reference provider if no target is named. The teardown that it returns writes the run's folder, whichever
 * reporters are used.
 */
export async function globalSetup(config: FullConfig): Promise<() => Promise<void>> {
  const startedAt = new Date();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const clockRate = referenceClockRate(isExpirySelected(process.env));
  const mock = needsReferenceProvider(process.env)
    ? await startMock({ records: REFERENCE_RECORDS, clockRate })
    : null;
  const plan = await readPlan(process.env, mock ?? undefined);
  const id = RunFolder.newId(startedAt);
  const runFolder = isInteractive(process.argv) ? null : openFolder(id);
  const discard = (): void => runFolder?.discard();
  process.once('exit', discard);
  const run = new HostedRun(plan, { id, folder, startedAt, config });
  const server = await serveJudging(run.targets, folder, (answer) => run.note(answer));
  process.env[SOCKET] = server.socket;
  const interrupt = (): void => run.interrupt();
  process.once('SIGINT', interrupt);
  return async () => {
    process.off('SIGINT', interrupt);
    try {
      const command = redactCommand(process.argv.slice(2), plan.targets);
      if (runFolder !== null) await run.finish(runFolder, command);
    } finally {
      server.close();
      await mock?.close();
      discard();
    }
  };
}

function openFolder(runId: string): RunFolder {
  try {
    return RunFolder.open({ out: process.env['ASSAY_OUT'] ?? null, runId });
  } catch (error) {
    throw errorWithoutStack('assay', messageOf(error));
  }
}

export default globalSetup;

/** The command line of a Playwright run, without the secrets of its targets. */
export function redactCommand(words: readonly string[], targets: readonly Target[]): string {
  const redactor = new Redactor();
  for (const { secret, label, clientId } of targets.flatMap(secretsOf)) {
    redactor.add(secret, label);
    if (clientId !== null) redactor.addBasic(clientId, secret, `${label}-basic`);
  }
  return redactor.redact(['npx playwright', ...words].join(' '));
}
