import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startMock } from '../mock/index.ts';
import { REFERENCE_RECORDS, type ReferenceFacts, referenceClockRate } from '../target/reference-target.ts';
import { redactCommand } from './redacted-command.ts';
import { isExpirySelected, needsReferenceProvider, readPlan } from './run-plan.ts';
import { makeKey } from './token-store.ts';

/**
 * Playwright's global setup: creates the folder that workers share, starts the embedded reference provider if no
 * target is named, and passes the redacted command line to reporters. Returns the teardown.
 */
export async function globalSetup(): Promise<() => Promise<void>> {
  const shared = mkdtempSync(path.join(os.tmpdir(), 'assay-'));
  process.env['ASSAY_SHARED'] = shared;
  makeKey(process.env);
  const clockRate = referenceClockRate(isExpirySelected(process.env));
  const mock = needsReferenceProvider(process.env)
    ? await startMock({ records: REFERENCE_RECORDS, clockRate })
    : null;
  if (mock !== null) {
    const { authUrl, baseUrl, tenant, credentials, otherCredentials, expiredToken } = mock;
    const facts: ReferenceFacts = {
      authUrl,
      baseUrl,
      tenant,
      credentials,
      otherCredentials,
      expiredToken,
    };
    process.env['ASSAY_EMBEDDED'] = JSON.stringify(facts);
  }
  const { targets } = await readPlan(process.env);
  process.env['ASSAY_COMMAND'] = redactCommand(process.argv.slice(2), targets);
  // Reporters still read the folder after the teardown.
  process.once('exit', () => rmSync(shared, { recursive: true, force: true }));
  return async () => {
    await mock?.close();
  };
}

export default globalSetup;
