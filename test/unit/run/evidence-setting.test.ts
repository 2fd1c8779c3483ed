import { expect, it } from 'vitest';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { settingOf } from '../../../src/run/evidence-setting.ts';
import { makeTarget } from '../../../src/target/make.ts';

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
  const options = { suite: 'full', only: [], skip: [], seed: 1, runs: null, expiry: false } as const;
  const { target: kept } = settingOf(target, options, redactor, false);
  expect(kept).toMatchObject({
    credentials: { clientSecret: '[client-secret]' },
    resources: [{ itemSchema: 'printer' }],
  });
});
