import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { examine } from '../../../src/doctor/doctor.ts';
import { makeTarget } from '../../../src/target/make.ts';

test('a sentence that quotes the beginning of a token shows nothing of it', async () => {
  const token = `secret${'0123456789'.repeat(30)}`;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'POST')
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ access_token: token, expires_in: 3600, token_type: 'Bearer', scope: 'a' }));
      else response.writeHead(302, { location: `https://login.example/?token=${token}` }).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { clientId: 'acme', clientSecret: 'a-client-secret', scope: 'a' };
  const target = makeTarget({ authUrl: origin, baseUrl: origin, credentials });
  const { steps } = await examine(target, { seed: 1, suites: [], env: {}, signal: null });
  const sentences = steps.map(({ sentence }) => sentence).join('\n');
  expect(sentences).toContain('Location');
  expect(sentences).not.toContain(token.slice(0, 12));
});
