import { Redactor } from '../evidence/redactor.ts';
import { secretsOf } from '../target/secrets.ts';
import type { Target } from '../target/target.ts';

/** The command line of a Playwright run, without the secrets of its targets. */
export function redactCommand(words: readonly string[], targets: readonly Target[]): string {
  const redactor = new Redactor();
  for (const { secret, label, clientId } of targets.flatMap(secretsOf)) {
    redactor.add(secret, label);
    if (clientId !== null) redactor.addBasic(clientId, secret, `${label}-basic`);
  }
  return redactor.redact(['npx playwright', ...words].join(' '));
}
