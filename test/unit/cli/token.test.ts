import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { said } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('token');
let mock: Mock;

beforeAll(async () => {
  mock = await startMock({ records: 3 });
});
afterAll(() => mock.close());

const ENV = { SECRET: 'the-secret-itself' };

async function token(
  urls: { readonly authUrl: string; readonly baseUrl: string },
  env: Readonly<Record<string, string>> = ENV,
  ...flags: string[]
): Promise<{ status: number; out: string; err: string }> {
  const file = path.join(folder, 'acme.json');
  const { clientId, scope } = mock.credentials;
  const credentials = { clientId, clientSecret: '${SECRET}', scope };
  writeFileSync(file, JSON.stringify({ name: 'acme', ...urls, tenant: mock.tenant, credentials }));
  return said(['token', file, ...flags], env);
}

/** A token endpoint that issues this token. */
async function giving(given: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ access_token: given, token_type: 'Bearer', expires_in: 3600 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The value of TOKEN in a shell that evaluated the line. */
function inShell(line: string): string {
  return execFileSync('sh', ['-c', `eval "$1"; printf %s "$TOKEN"`, 'sh', line], { encoding: 'utf8' });
}

describe('assay token', () => {
  test('prints one line that sets a token for curl, and the token nowhere else', async () => {
    const env = { SECRET: mock.credentials.clientSecret };
    const { status, out, err } = await token(mock, env);
    expect(status).toBe(0);
    expect(out).toMatch(/^export TOKEN='[^'\n]+'\n$/u);
    const obtained = inShell(out);
    const headers = { Authorization: `Bearer ${obtained}`, Tenant: mock.tenant };
    expect((await fetch(`${mock.baseUrl}/v1/printers`, { headers })).status).toBe(200);
    expect(err).not.toContain(obtained);
    expect(out + err).not.toContain(env.SECRET);
  });

  test('prints it as JSON on request', async () => {
    const { status, out } = await token(mock, { SECRET: mock.credentials.clientSecret }, '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({ token: expect.any(String), expiresIn: 3600 });
  });

  test('quotes shell syntax', async () => {
    const given = `a'$(touch${folder}/x)"\`b`;
    const authUrl = await giving(given);
    expect(inShell((await token({ authUrl, baseUrl: mock.baseUrl })).out)).toBe(given);
  });

  test.each(['a b', 'a\nb', 'a\u001b[2J', 'é'])(
    'prints no token that no header carries: %j',
    async (given) => {
      const authUrl = await giving(given);
      expect(await token({ authUrl, baseUrl: mock.baseUrl })).toMatchObject({ status: 3, out: '' });
    },
  );

  test('reports a refusal of the provider without the secret', async () => {
    const { status, out, err } = await token(mock);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toContain('invalid_client');
    expect(err).not.toContain(ENV.SECRET);
  });

  test('requires a target', async () => {
    const { status, err } = await said(['token']);
    expect(status).toBe(3);
    expect(err).toContain('name a target file');
  });

  test('uses the target of an environment file', async () => {
    const { clientId, clientSecret, scope } = mock.credentials;
    const env = path.join(folder, 'staging.env');
    writeFileSync(
      env,
      [
        `ASSAY_AUTH_URL=${mock.authUrl}`,
        `ASSAY_BASE_URL=${mock.baseUrl}`,
        `ASSAY_CLIENT_ID=${clientId}`,
        `ASSAY_CLIENT_SECRET='${clientSecret}'`,
        `ASSAY_SCOPE='${scope}'`,
      ].join('\n'),
    );
    const { status, out } = await said(['token', '--env', env]);
    expect(status).toBe(0);
    expect(out).toMatch(/^export TOKEN='/u);
    writeFileSync(env, 'OTHER=1\n');
    expect((await said(['doctor', '--env', env])).status).toBe(3);
  });
});
