import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { makeTarget } from '../../../src/target/make.ts';
import { judgeTarget, requirementOf } from '../../support/judge-mock.ts';

const CLIENT_SECRET = 'a%2Bb+c';

/** Tests a token endpoint that knows one secret and reads client_secret in some way. */
async function judgeEndpoint(readSecret: (form: string) => string | null) {
  const server = createServer(async (request, response) => {
    const isKnown = readSecret(await text(request)) === CLIENT_SECRET;
    response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(
        isKnown
          ? { access_token: 'token-of-test', token_type: 'Bearer', expires_in: 3600, scope: 'read' }
          : { error: 'invalid_client' },
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { clientId: 'client', clientSecret: CLIENT_SECRET, scope: 'read' };
  try {
    const target = makeTarget({
      name: 'endpoint',
      authUrl: url,
      baseUrl: url,
      tenant: 'tenant',
      credentials,
    });
    return requirementOf(await judgeTarget(target, { only: ['token/issued'] }), 'token/issued');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const readOnce = (form: string): string | null => new URLSearchParams(form).get('client_secret');

it('token/issued fails when the endpoint decodes the form twice', async () => {
  const issued = await judgeEndpoint((form) => new URLSearchParams(`x=${readOnce(form)}`).get('x'));
  expect(issued.verdict).toBe('fail');
});

it('token/issued passes when the endpoint decodes the form once', async () => {
  expect((await judgeEndpoint(readOnce)).verdict).toBe('pass');
});
