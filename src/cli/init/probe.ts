import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../core/system-error.ts';
import { checkConnectivity } from '../../doctor/connectivity-check.ts';
import type { Step } from '../../doctor/diagnosis-step.ts';
import { makeTarget, originsOf } from '../../target/make.ts';
import { urlMistakes } from '../../target/warnings.ts';
import type { Answers } from './answers.ts';

/** Time limits in milliseconds for one connection and for all checks, since the user waits for them. */
const CONNECT_TIMEOUT_MS = 3000;
const PROBE_TIMEOUT_MS = 6000;

/**
 * Checks the URLs of the answers and connects to their hosts. Sends no request and no secret, and never
 * throws.
 */
export async function probe(answers: Answers, env: NodeJS.ProcessEnv): Promise<readonly Step[]> {
  try {
    const { authUrl, baseUrl, lists } = answers;
    const target = makeTarget({
      authUrl,
      baseUrl,
      credentials: { clientId: '', clientSecret: '', scope: '' },
      resources: lists.map(({ name, path }) => ({ name, path, itemSchema: 'printer', idField: 'id' })),
      limits: { connectTimeoutMs: CONNECT_TIMEOUT_MS },
    });
    const options = { target, env, now: Date.now() };
    const checks = originsOf(target).map((origin) => checkConnectivity(origin, options));
    const reached = await Promise.race([Promise.all(checks), rejectAfterTimeout()]);
    const mistakes = urlMistakes(target).map(
      ({ sentence }): Step => ({ step: 'target', finding: 'warning', sentence }),
    );
    return [...mistakes, ...reached.flat()];
  } catch (error) {
    const reason = messageOf(error);
    return [{ step: 'tcp', finding: 'warning', sentence: `The hosts could not be checked: ${reason}.` }];
  }
}

// DNS may take longer than the limit of a connection.
async function rejectAfterTimeout(): Promise<never> {
  await setTimeout(PROBE_TIMEOUT_MS, null, { ref: false });
  throw new Error(`no result within ${PROBE_TIMEOUT_MS / 1000} seconds`);
}
