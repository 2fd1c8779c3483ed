import { once } from 'node:events';
import { get } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { scenarioOf } from '../../../../src/cli/mock/scenario.ts';
import { type LogLine, type Mock, type MockOptions, startMock } from '../../../../src/mock/index.ts';
import {
  fieldsOf,
  listRequest,
  membersOf,
  page,
  send,
  tokenOf,
  tokenRequest,
} from '../../../support/mock/client.ts';

let mock: Mock;
afterEach(() => mock.close());

async function start(options: MockOptions): Promise<string> {
  mock = await startMock({ records: 20, control: { readScenario: scenarioOf }, ...options });
  return tokenOf(mock);
}

async function control(method: string, path: string, body = ''): Promise<Record<string, unknown>> {
  const got = await send(mock, { method, target: `/__assay/${path}`, body });
  const value: unknown = JSON.parse(got.text);
  return { ...(Array.isArray(value) ? { list: value } : membersOf(got.text)), answered: got.status };
}

const first = '?$count=true&$pagesize=5';

describe('a scenario', () => {
  it('applies defects to some requests only', async () => {
    const rules = [
      { when: { call: 'list' as const, requests: { from: 2, to: 2 } }, defects: ['skip-in-pages'] },
    ];
    const token = await start({ scenario: { rules } });
    const links = [];
    for (let request = 1; request <= 3; request += 1)
      links.push((await page(mock, token, first)).nextPageLink);
    expect(links.map((link) => /\$skip=(\d+)/u.exec(String(link))?.[1])).toEqual(['5', '1', '5']);
  });

  it('answers instead of the provider', async () => {
    const answer = { status: 503, retryAfterSeconds: 2, body: '{"busy": true}' };
    const token = await start({ scenario: { rules: [{ when: { call: 'list', every: 2 }, answer }] } });
    expect((await page(mock, token, '')).status).toBe(200);
    const got = await send(mock, listRequest(mock, token, ''));
    expect(got).toMatchObject({ status: 503, text: '{"busy": true}' });
    expect(got.headers).toMatchObject({ 'retry-after': '2', 'content-type': 'application/json' });
  });

  it('resets connections, and truncates bodies', async () => {
    const header = (value: string) => ({ header: { 'X-Scenario': value } });
    const token = await start({
      scenario: {
        rules: [
          { when: header('reset'), reset: true },
          { when: header('cut'), truncate: 0.5 },
        ],
      },
    });
    const asked = listRequest(mock, token, first);
    const outcome = (value: string): Promise<unknown> =>
      send(mock, { ...asked, headers: { ...asked.headers, 'x-scenario': value } }).catch(
        (error: unknown) => error,
      );
    expect(await outcome('none')).toMatchObject({ status: 200 });
    expect(await outcome('reset')).toMatchObject({ code: 'ECONNRESET' });
    expect(await outcome('cut')).toMatchObject({ code: 'ECONNRESET', message: 'aborted' });
    expect((await control('GET', 'state'))['statuses']).toEqual({ 200: 3, reset: 1 });
  });

  it('uses the clock of the provider', async () => {
    const rules = [{ when: { elapsedSeconds: { from: 3600 } }, answer: { status: 410 } }];
    await start({ clockRate: 1_000_000, scenario: { rules } });
    while (Number((await control('GET', 'state'))['elapsedSeconds']) < 3600);
    expect((await send(mock, { target: '/' })).status).toBe(410);
  });

  it('delays answers', async () => {
    const rules = [{ when: { header: { 'X-Scenario': 'slow' } }, latency: { fixedMs: 600_000 } }];
    await start({ scenario: { rules } });
    const { hostname, port } = new URL(mock.baseUrl);
    const slow = get({ hostname, port, path: '/slow', headers: { 'X-Scenario': 'slow' } });
    const lost = once(slow, 'error');
    while (Number((await control('GET', 'state'))['requests']) < 2);
    await send(mock, { target: '/quick' });
    const { list } = await control('GET', 'requests');
    expect((list as LogLine[]).map(({ target }) => target)).toEqual(['/connect/token', '/quick']);
    slow.destroy(new Error('enough'));
    await lost;
  });
});

describe('the reserved path', () => {
  it('does not exist by default', async () => {
    mock = await startMock({ records: 1 });
    expect((await send(mock, { target: '/__assay/health' })).status).toBe(401);
  });

  it('shows the state of the provider without a token and without being counted', async () => {
    const token = await start({ scenario: { rules: [{ name: 'all', answer: { status: 500 } }] } }).catch(
      () => '',
    );
    expect(token).toBe('undefined');
    expect(await control('GET', 'health')).toEqual({ status: 'ok', answered: 200 });
    expect(await control('GET', 'state')).toMatchObject({
      requests: 1,
      calls: { token: 1, list: 0, other: 0 },
      statuses: { 500: 1 },
      rules: [{ name: 'all', met: 1, applied: 1 }],
    });
  });

  it('shows requests without secrets', async () => {
    const token = await start({});
    await page(mock, token, first);
    await send(mock, tokenRequest({ ...fieldsOf(mock.credentials), client_id: 'stranger' }));
    const { list } = await control('GET', 'requests');
    const lines = list as LogLine[];
    expect(lines.map(({ number, call, status }) => [number, call, status])).toEqual([
      [1, 'token', 200],
      [2, 'list', 200],
      [3, 'token', 401],
    ]);
    expect(lines[0]?.form).toMatchObject({ grant_type: 'client_credentials', client_secret: '***' });
    expect(lines[1]).toMatchObject({
      target: `/v1/printers${first}`,
      headers: { authorization: 'Bearer ***' },
    });
    const text = JSON.stringify(lines);
    expect(text).not.toContain(token);
    expect(text).not.toContain(mock.credentials.clientSecret);
    expect((await control('GET', 'requests?last=1'))['list']).toHaveLength(1);
    expect(await control('GET', 'requests?last=many')).toMatchObject({ answered: 400 });
  });

  it('keeps the latest thousand requests', async () => {
    await start({});
    for (let request = 0; request < 1005; request += 1) await send(mock, { target: `/${request}` });
    const { list } = await control('GET', 'requests?last=5000');
    const lines = list as LogLine[];
    expect(lines).toHaveLength(1000);
    expect([lines[0]?.target, lines.at(-1)?.target]).toEqual(['/5', '/1004']);
  });

  it('resets counts and rules; tokens stay valid', async () => {
    const rules = [{ when: { call: 'list' as const, requests: { to: 1 } }, answer: { status: 429 } }];
    const token = await start({ scenario: { rules } });
    const statuses = async (): Promise<readonly number[]> => [
      (await page(mock, token, '')).status,
      (await page(mock, token, '')).status,
    ];
    expect(await statuses()).toEqual([429, 200]);
    expect(await control('POST', 'reset')).toMatchObject({ requests: 0, calls: { list: 0 }, answered: 200 });
    expect(await statuses()).toEqual([429, 200]);
    expect((await control('GET', 'requests'))['list']).toHaveLength(2);
  });

  it('does not count an answer that ends after the reset', async () => {
    const lines: LogLine[] = [];
    const rules = [{ when: { header: { 'X-Scenario': 'slow' } }, latency: { fixedMs: 300 } }];
    await start({ scenario: { rules }, control: { onLine: (line) => lines.push(line) } });
    const { hostname, port } = new URL(mock.baseUrl);
    const slow = once(get({ hostname, port, path: '/slow', headers: { 'X-Scenario': 'slow' } }), 'response');
    while (mock.requests() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await control('POST', 'reset');
    const [answer] = await slow;
    answer.resume();
    expect(lines.map(({ target }) => target)).toEqual(['/connect/token', '/slow']);
    expect(await control('GET', 'state')).toMatchObject({ requests: 0, calls: { other: 0 }, statuses: {} });
    expect((await control('GET', 'requests'))['list']).toEqual([]);
  });

  it('accepts another scenario, and keeps the current one if it is invalid', async () => {
    const token = await start({});
    const status = async (): Promise<number> => (await page(mock, token, '')).status;
    const yaml = 'rules:\n  - answer: {status: 418}\n';
    expect(await control('PUT', 'scenario', yaml)).toMatchObject({ answered: 200 });
    expect(await status()).toBe(418);
    expect(await control('PUT', 'scenario', 'rules:\n  - defcts: [a]\n')).toMatchObject({
      answered: 400,
      title: 'the scenario:2: unknown key rules[0].defcts; did you mean defects?',
    });
    expect(await control('PUT', 'scenario', 'records: 5')).toMatchObject({
      answered: 400,
      title: expect.stringContaining('records can only be set when the mock starts'),
    });
    expect(await status()).toBe(418);
    expect((await control('GET', 'scenario'))['rules']).toEqual([{ answer: { status: 418 } }]);
    expect(await control('PUT', 'scenario', '{}')).toMatchObject({ answered: 200 });
    expect(await status()).toBe(200);
  });

  it('lists its paths for an unknown one', async () => {
    await start({});
    expect(await control('GET', 'nothing')).toMatchObject({
      answered: 404,
      title: expect.stringContaining('state'),
    });
    expect(await control('DELETE', 'reset')).toMatchObject({ answered: 405, title: 'reset takes POST' });
  });
});

describe('a request for the reserved path', () => {
  const target = '/__assay/state';
  const put = { method: 'PUT', target: '/__assay/scenario', body: 'defects: [count-of-page]' };

  async function statusOf(headers: Record<string, string>): Promise<readonly number[]> {
    return [(await send(mock, { target, headers })).status, (await send(mock, { ...put, headers })).status];
  }

  it.each(['localhost', 'localhost:80', '127.0.0.1:8080', '[::1]:9', 'mock.localhost'])(
    'is answered for the host %s, with or without its own origin',
    async (host) => {
      await start({});
      expect(await statusOf({ host })).toEqual([200, 200]);
      expect(await statusOf({ host, origin: `http://${host}` })).toEqual([200, 200]);
    },
  );

  it.each([
    'rebound.example',
    '192.168.1.2:80',
    '127.0.0.1.rebound.example',
    'localhost.example',
    'a@b',
    ' ',
  ])('is rejected for the host %j, and changes nothing', async (host) => {
    await start({});
    expect(await statusOf({ host })).toEqual([403, 403]);
    expect(await control('GET', 'scenario')).toMatchObject({ defects: [] });
  });

  it.each([
    'https://site.example',
    'null',
    'http://localhost:1',
    'http://127.0.0.1.site.example',
    'nonsense',
  ])('is rejected from the origin %s, and changes nothing', async (origin) => {
    await start({});
    expect(await statusOf({ origin })).toEqual([403, 403]);
    expect(await control('GET', 'scenario')).toMatchObject({ defects: [] });
  });
});
