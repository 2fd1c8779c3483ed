import { expect, it } from 'vitest';
import { redactCommand } from '../../../src/playwright/setup.ts';
import { makeTarget } from '../../../src/target/make.ts';

it('the recorded command line of Playwright holds no secret of its targets in any encoding', () => {
  const target = makeTarget({
    name: 'acme',
    authUrl: 'https://login.acme.example',
    baseUrl: 'https://api.acme.example',
    tenant: null,
    credentials: { clientId: 'client-b', clientSecret: 'a client secret', scope: 'read' },
    expiredToken: 'token-of-yesterday',
  });
  const basic = Buffer.from('client-b:a client secret').toString('base64');
  const words = ['test', '--grep', 'a client secret', 'a%20client%20secret', 'token-of-yesterday', basic];
  expect(redactCommand(words, [target])).toBe(
    'npx playwright test --grep [client-secret] [client-secret] [expired-token] [client-secret-basic]',
  );
});
