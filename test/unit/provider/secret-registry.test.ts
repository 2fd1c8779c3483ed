import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';

/** The text with each label of a secret replaced by what its shell expression gives. */
function evaluated(secrets: SecretRegistry, text: string, env: NodeJS.ProcessEnv): string {
  return secrets
    .shellExpressions()
    .filter(([label]) => text.includes(label))
    .reduce((made, [label, shell]) => {
      const value = execFileSync('bash', ['-c', `printf %s "${shell}"`], { env: { ...process.env, ...env } });
      return made.replaceAll(label, value.toString());
    }, text);
}

it.each([
  ['acme', 's3cretValue'],
  ['acme', 's3cretValue1'],
  ['acme', 's3cretValue12'],
  ['acme:1', 's3cr+t/Value 1'],
])('a shell makes the Basic pairs of %j and %j', (id, secret) => {
  const secrets = new SecretRegistry();
  secrets.addBasic(id, secret, 'client-secret');
  const encoded = new URLSearchParams([[id, secret]]).toString().replace('=', ':');
  for (const pair of [`${id}:${secret}`, encoded]) {
    const header = `Basic ${Buffer.from(pair).toString('base64')}`;
    const shown = secrets.redact(header);
    expect(shown).not.toBe(header);
    expect(evaluated(secrets, shown, { CLIENT_ID: id, CLIENT_SECRET: secret })).toBe(header);
  }
});
