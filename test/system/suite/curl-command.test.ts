import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { curlCommand } from '../../../src/judge/curl-command.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';

const NO_TLS = { ca: null, cert: null, key: null };

/** Runs the curl line of a form with that body; resolves to the body and the Accept header that a server receives. */
async function sent(body: string): Promise<{ readonly body: string; readonly accept: string | undefined }> {
  let received = '';
  let accept: string | undefined;
  const server = createServer((request, response) => {
    accept = request.headers.accept;
    request.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const request = {
    method: 'POST',
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '/connect/token',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']] as const,
    body,
  };
  const secrets = new SecretRegistry(new Redactor());
  await promisify(execFile)('bash', ['-c', curlCommand(request, secrets, NO_TLS)]);
  return { body: received, accept };
}

it.each([
  'grant_type=client_credentials&scope=printers.read',
  'scope=printers.read+printers.write&client_id=acme',
  'client_id%5B%5D=acme&scope=*&client_secret=a%7Eb%26%3D%C3%A9',
  'scope=a%20b',
  '',
])('a curl line sends the form %j byte for byte', async (body) => {
  expect((await sent(body)).body).toBe(body);
});

it('a curl line sends no Accept header for a request without one', async () => {
  expect((await sent('scope=a')).accept).toBeUndefined();
});
