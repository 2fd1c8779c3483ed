import { expect, it } from 'vitest';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { Restorer } from '../../../src/evidence/secret-facts.ts';
import { readSetting, settingOf } from '../../../src/run/evidence-setting.ts';
import { makeTarget } from '../../../src/target/make.ts';
import { secretsOf } from '../../../src/target/target.ts';

const OPTIONS = { suite: 'full', only: [], skip: [], seed: 1, runs: null, expiry: false } as const;

it('keeps the name of a built-in schema, and no secret that is the same word', () => {
  const target = makeTarget({
    name: 'acme',
    authUrl: 'http://127.0.0.1:9',
    baseUrl: 'http://127.0.0.1:9',
    tenant: null,
    credentials: { clientId: 'acme', clientSecret: 'printer', scope: 'read' },
  });
  const redactor = new Redactor();
  redactor.add('printer', 'client-secret');
  const { target: kept } = settingOf(target, OPTIONS, redactor, false);
  expect(kept).toMatchObject({
    credentials: { clientSecret: '[client-secret]' },
    resources: [{ itemSchema: 'printer' }],
  });
});

it.each(['', 'Bearer ', 'assertion='])(
  'a replay recognises a header that holds a JWT after "%s"',
  (before) => {
    const part = (text: string): string => Buffer.from(text).toString('base64url');
    const target = makeTarget({
      authUrl: 'http://127.0.0.1:9',
      baseUrl: 'http://127.0.0.1:9',
      credentials: { clientId: 'acme', clientSecret: 'abcdefgh', scope: 'read' },
      headers: { 'X-Consumer': `${before}${part('{"alg":"HS256"}')}.${part('{"sub":"acme"}')}.c2lnbmF0dXJl` },
    });
    const labelsOf = (one: typeof target) => new Set(secretsOf(one).map(({ label }) => label));
    const redactor = new Redactor();
    for (const { secret, label } of secretsOf(target)) redactor.add(secret, label);
    const replayed = readSetting(settingOf(target, OPTIONS, redactor, false), new Restorer()).target;
    expect(labelsOf(target)).toContain('header-x-consumer');
    expect(labelsOf(replayed)).toEqual(labelsOf(target));
  },
);
