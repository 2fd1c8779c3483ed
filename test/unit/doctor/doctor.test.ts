import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loopbackCertificate } from '../../../src/cli/mock/action.ts';
import { type Examination, examine } from '../../../src/doctor/doctor.ts';
import type { Mock, MockOptions } from '../../../src/mock/index.ts';
import type { Target } from '../../../src/target/target.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function mock(options: MockOptions = {}): Promise<Mock> {
  return openMock({ records: 30, ...options });
}

function examined(target: Target, env: NodeJS.ProcessEnv = {}): Promise<Examination> {
  return examine(target, { seed: 1, suites: ['smoke'], env, signal: null });
}

function found({ steps }: Examination): readonly string[] {
  return steps.map(({ step, finding }) => `${step} ${finding}`);
}

/** The sentence of the first problem. */
function problem({ steps }: Examination): string {
  return steps.find(({ finding }) => finding === 'problem')?.sentence ?? 'no problem';
}

test('a conforming provider is ready after two token requests and one list call', async () => {
  const provider = await mock({ records: 1234 });
  const diagnosis = await examined(targetOf(provider));
  expect(found(diagnosis)).toEqual(['dns ok', 'tcp ok', 'token ok', 'token ok', 'list ok', 'clock ok']);
  expect(diagnosis).toMatchObject({ ready: true, records: { printers: 1234 } });
  expect(provider.requests()).toBe(3);
  expect(diagnosis.forecasts).toMatchObject([
    { suite: 'smoke', seed: 1, exact: true, bounded: false, open: [] },
  ]);
});

test('requirements that cannot be decided are reported with reasons', async () => {
  const provider = await mock({ records: 0 });
  const diagnosis = await examine(targetOf(provider, { otherCredentials: null }), {
    seed: 1,
    suites: ['full'],
    env: {},
    signal: null,
  });
  const open = diagnosis.forecasts[0]?.open ?? [];
  expect(open.map(({ id }) => id)).toContain('link/present-when-more');
  expect(open.find(({ id }) => id === 'token/provider-isolation')).toMatchObject({ verdict: 'skipped' });
  for (const { reason } of open) expect(reason).not.toBe('');
});

test('a wrong secret, a closed port and a missing list are problems', async () => {
  const provider = await mock();
  const { clientId, scope } = provider.credentials;
  const wrongCredentials = { clientId, scope, clientSecret: 'not-the-secret' };
  const wrong = await examined(targetOf(provider, { credentials: wrongCredentials }));
  expect(wrong.ready).toBe(false);
  for (const part of ['401 (invalid_client)', 'credentials.clientId', 'credentials.clientSecret', 'authUrl'])
    expect(problem(wrong)).toContain(part);
  expect(wrong.forecasts).toEqual([]);

  const wrongOther = await examined(targetOf(provider, { otherCredentials: wrongCredentials }));
  expect(wrongOther.ready).toBe(false);
  for (const part of ['401', 'otherCredentials.clientId', 'otherCredentials.clientSecret'])
    expect(problem(wrongOther)).toContain(part);

  const path = '/v1/plotters';
  const absent = targetOf(provider, {
    resources: [{ name: 'plotters', path, itemSchema: 'printer', idField: 'id' }],
  });
  for (const part of ['404', 'baseUrl', '/v1/plotters'])
    expect(problem(await examined(absent))).toContain(part);

  const gone = targetOf(provider);
  await provider.close();
  expect(problem(await examined(gone))).toMatch(/refuses the connection: nothing listens on that port/u);
});

test('an expired token that a run would not use is a problem', async () => {
  const provider = await mock({ tokens: 'opaque' });
  const { expiredToken } = provider;
  expect((await examined(targetOf(provider, { expiredToken }))).ready).toBe(true);
  for (const mistyped of [expiredToken.slice(1), `Bearer ${expiredToken}`]) {
    const diagnosis = await examined(targetOf(provider, { expiredToken: mistyped }));
    expect(diagnosis.ready).toBe(false);
    expect(problem(diagnosis)).toContain('Check expiredToken');
  }
});

test('records without the configured identifier are a warning', async () => {
  const provider = await mock();
  const resources = [{ name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'uuid' }];
  const { ready, steps } = await examined(targetOf(provider, { resources }));
  expect(ready).toBe(true);
  const list = steps.find(({ step }) => step === 'list');
  expect(list?.finding).toBe('warning');
  for (const part of ['30 of them', 'uuid', 'idField']) expect(list?.sentence).toContain(part);
});

test('checks TLS: issuers, expiry date and errors', async () => {
  const { ca, cert, key } = await loopbackCertificate();
  const folder = temporaryFolder('doctor');
  const file = path.join(folder, 'ca.pem');
  writeFileSync(file, ca);
  const provider = await mock({ tls: { cert, key } });
  const trusted = await examined(targetOf(provider, { tls: { ca: file } }));
  expect(found(trusted)).toEqual([
    'dns ok',
    'tcp ok',
    'tls ok',
    'tls warning',
    'token ok',
    'token ok',
    'list ok',
    'clock ok',
  ]);
  expect(trusted.steps[2]?.sentence).toMatch(
    /TLSv1\.[23], and its certificate is trusted: localhost, issued by/u,
  );
  expect(trusted.steps[3]?.sentence).toMatch(/expires on \d{4}-\d\d-\d\d, in (29|30) days/u);
  expect(problem(await examined(targetOf(provider)))).toMatch(/name its authority under tls\.ca/u);
  const missing = path.join(folder, 'missing.pem');
  expect(problem(await examined(targetOf(provider, { tls: { ca: missing } })))).toMatch(
    /tls\.ca cannot be used/u,
  );
});

test('says that the TLS handshake took too long, not that the connection was closed', async () => {
  const silent = createTcpServer(() => undefined);
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const limits = { connectTimeoutMs: 200 };
  const diagnosis = await examined(targetOf(await mock(), { authUrl: url, baseUrl: url, limits }));
  expect(found(diagnosis)).toEqual(['dns ok', 'tcp ok', 'tls problem']);
  expect(problem(diagnosis)).toContain('limits.connectTimeoutMs');
});

test('reports the proxy in use without its password, and checks that it can be reached', async () => {
  const provider = await mock();
  const { port } = new URL(provider.baseUrl);
  const address = Object.assign(new URL(provider.baseUrl), { username: 'me', password: 'hidden' });
  const proxy = { HTTP_PROXY: address.href };
  const [proxyStep, reached] = (await examined(targetOf(provider), proxy)).steps;
  expect(proxyStep).toMatchObject({ step: 'proxy', finding: 'ok' });
  expect(proxyStep?.sentence).toContain(`through the proxy http://127.0.0.1:${port} (HTTP_PROXY)`);
  expect(proxyStep?.sentence).not.toContain('hidden');
  expect(reached).toMatchObject({ step: 'tcp', finding: 'ok' });
  expect(problem(await examined(targetOf(provider), { HTTP_PROXY: 'socks5://127.0.0.1:1' }))).toContain(
    'HTTP_PROXY is not the URL of an http or https proxy',
  );
  expect(problem(await examined(targetOf(provider), { HTTP_PROXY: 'http://127.0.0.1:1' }))).toContain(
    'Check the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY',
  );
});

/** The clock step for a provider whose answers have these Date headers, each read when a request comes. */
async function clockOf(date: () => string | null): Promise<string | undefined> {
  const server = createServer((request, response) => {
    const sent = date();
    response.sendDate = false;
    if (sent !== null) response.setHeader('Date', sent);
    const token = { access_token: 'abcdefghij', expires_in: 3600, token_type: 'Bearer', scope: 'a' };
    response.end(JSON.stringify(request.method === 'POST' ? token : { items: [], count: 0 }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await mock();
  const diagnosis = await examined(targetOf(provider, { authUrl: url, baseUrl: url }));
  expect(diagnosis.ready).toBe(true);
  return diagnosis.steps.find(({ step }) => step === 'clock')?.sentence;
}

test('clock skew, or an unknown clock, is a warning and not a problem', async () => {
  const ahead = new Date(Date.now() + 90_000).toUTCString();
  expect(await clockOf(() => ahead)).toMatch(
    /^The provider's clock is (89|90|91) s ahead of the local clock, which affects/u,
  );
  const behind = new Date(Date.now() - 900_000).toUTCString();
  expect(await clockOf(() => behind)).toMatch(
    /behind the local clock, more than expiry\.toleranceSeconds allows/u,
  );
  expect(await clockOf(() => null)).toMatch(/No answer has a Date header/u);
});

test('the largest clock skew takes into account that a Date header has whole seconds', async () => {
  const startedAt = Date.now();
  // A clock that shows the second after the next one may be 3 s ahead. What the answers prove is less.
  const sentence = await clockOf(() => new Date(Date.now() + 2001).toUTCString());
  expect(sentence).toMatch(/at most \d+ s/u);
  const most = Number(/\d+/u.exec(sentence ?? '')?.[0]);
  expect(most).toBeGreaterThanOrEqual(3);
  expect(most).toBeLessThanOrEqual(3 + Math.ceil((Date.now() - startedAt) / 1000));
});

test('a clock that runs at another rate is not compared', async () => {
  const provider = await mock({ clockRate: 100_000 });
  const { steps } = await examined(targetOf(provider, { expiry: { clockRate: 100_000 } }));
  expect(steps.find(({ step }) => step === 'clock')?.finding).toBe('ok');
});

test('without a count the length of a list is unknown, and no cost is estimated', async () => {
  const provider = await mock({ records: 600, defects: ['count-never'] });
  const diagnosis = await examined(targetOf(provider));
  expect(diagnosis).toMatchObject({ ready: true, records: { printers: null }, forecasts: [] });
  expect(found(diagnosis)).toContain('cost warning');
});

test.each([
  [499, 499, 'although $count is true'],
  [500, null, 'the length of the list is unknown'],
])('without count and link, a page of %i records shows a length of %s', async (records, length, words) => {
  const diagnosis = await examined(targetOf(await mock({ records, defects: ['count-never'] })));
  expect(diagnosis.records).toEqual({ printers: length });
  expect(diagnosis.steps.find(({ step }) => step === 'list')?.sentence).toContain(words);
});

test('prints no secret and no token', async () => {
  const provider = await mock();
  const { clientSecret } = provider.credentials;
  const text = JSON.stringify([
    await examined(targetOf(provider)),
    await examined(targetOf(provider, { credentials: { ...provider.credentials, scope: clientSecret } })),
  ]);
  expect(text).not.toContain(clientSecret);
  expect(text).not.toMatch(/eyJ/u);
});

test.each([429, 503])(
  'a token endpoint that answers %i says nothing about the credentials',
  async (status) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'Retry-After': '99999999' }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const examination = await examined(targetOf(await mock(), { authUrl: url, baseUrl: url }));
    expect(examination.ready).toBe(false);
    expect(problem(examination)).toContain('limits.maxRetryAfterMs');
    expect(problem(examination)).not.toContain('credentials');
  },
);
