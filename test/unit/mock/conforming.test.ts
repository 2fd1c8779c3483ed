import { connect } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import {
  fieldsOf,
  listRequest,
  membersOf,
  page,
  send,
  tokenOf,
  tokenRequest,
} from '../../support/mock/client.ts';

let mock: Mock;
let token: string;

beforeAll(async () => {
  mock = await startMock();
  token = await tokenOf(mock);
});
afterAll(() => mock.close());

async function refused(change: Readonly<Record<string, string | undefined>>): Promise<string> {
  const fields = Object.entries({ ...fieldsOf(mock.credentials), ...change });
  const given = fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const got = await send(mock, tokenRequest(Object.fromEntries(given)));
  expect(got.text).not.toContain('access_token');
  return `${got.status} ${membersOf(got.text)['error']}`;
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

describe('the token endpoint', () => {
  it('answers a valid request as in the specification', async () => {
    const got = await send(mock, tokenRequest(fieldsOf(mock.credentials)));
    expect(got.status).toBe(200);
    expect(got.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const { access_token: text, ...rest } = membersOf(got.text);
    expect(text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(rest).toEqual({ expires_in: 3600, token_type: 'Bearer', scope: mock.credentials.scope });
    const { iat = 0, exp, iss } = decodeJwt(String(text));
    expect(exp).toBe(iat + 3600);
    expect(iss).toBe(mock.authUrl);
  });

  it('issues a new token each time, and all are valid', async () => {
    const other = await tokenOf(mock);
    expect(other).not.toBe(token);
    expect((await page(mock, token, '?$pagesize=1')).status).toBe(200);
    expect((await page(mock, other, '?$pagesize=1')).status).toBe(200);
  });

  it.each([
    ['no grant_type', { grant_type: undefined }, '400 invalid_request'],
    ['an empty grant_type', { grant_type: '' }, '400 unsupported_grant_type'],
    ['another grant_type', { grant_type: 'password' }, '400 unsupported_grant_type'],
    ['a longer grant_type', { grant_type: 'client_credentials2' }, '400 unsupported_grant_type'],
    ['a spaced grant_type', { grant_type: ' client_credentials' }, '400 unsupported_grant_type'],
    ['no client_id', { client_id: undefined }, '401 invalid_client'],
    ['an unknown client_id', { client_id: 'nobody' }, '401 invalid_client'],
    ['no client_secret', { client_secret: undefined }, '401 invalid_client'],
    ['an empty client_secret', { client_secret: '' }, '401 invalid_client'],
    ['nothing but a grant', { client_id: '', client_secret: '' }, '401 invalid_client'],
    ['no scope', { scope: undefined }, '400 invalid_scope'],
    ['a foreign scope', { scope: 'everything' }, '400 invalid_scope'],
  ])('rejects %s', async (_words, change, expected) => {
    expect(await refused(change)).toBe(expected);
  });

  it('compares identifier and secret exactly', async () => {
    const { clientId, clientSecret } = mock.credentials;
    const spoiled = (text: string): string[] => [swapCase(text), text.slice(0, -1), `${text} `, `${text}x`];
    for (const secret of spoiled(clientSecret)) {
      expect(await refused({ client_secret: secret })).toBe('401 invalid_client');
    }
    for (const id of spoiled(clientId)) expect(await refused({ client_id: id })).toBe('401 invalid_client');
  });

  it('separates the two providers', async () => {
    const { credentials, otherCredentials } = mock;
    expect(await refused({ client_secret: otherCredentials.clientSecret })).toBe('401 invalid_client');
    expect(await refused({ ...fieldsOf(otherCredentials), client_secret: credentials.clientSecret })).toBe(
      '401 invalid_client',
    );
    expect((await page(mock, await tokenOf(mock, otherCredentials), '')).status).toBe(200);
  });

  it('rejects JSON, GET and repeated fields', async () => {
    const right = tokenRequest(fieldsOf(mock.credentials));
    const json = { ...right, headers: { 'Content-Type': 'application/json' } };
    expect((await send(mock, { ...json, body: JSON.stringify(fieldsOf(mock.credentials)) })).status).toBe(
      400,
    );
    const got = await send(mock, { target: `/connect/token?${right.body}` });
    expect(got).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect((await send(mock, { ...right, body: `${right.body}&scope=x` })).status).toBe(400);
  });
});

describe('the gate', () => {
  const withHeader = async (value: string): Promise<number> => {
    const { target } = listRequest(mock, '', '');
    return (await send(mock, { target, headers: { Authorization: value } })).status;
  };

  it('answers 401 with a challenge before any other check', async () => {
    for (const target of [
      '/v1/printers',
      '/v1/printers?$pagesize=x',
      '/nothing',
      '/V1/printers/',
      '/v1/./printers',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
        const got = await send(mock, { method, target });
        expect(got.status, `${method} ${target}`).toBe(401);
        expect(got.headers['www-authenticate']).toBe('Bearer');
        expect(got.text).not.toContain('items');
      }
    }
  });

  it('accepts the scheme in any letter case, and no other scheme', async () => {
    for (const good of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`])
      expect(await withHeader(good)).toBe(200);
    for (const bad of [
      token,
      `Basic ${token}`,
      `Bearer${token}`,
      `Bearer ${token} x`,
      'Bearer',
      'Bearer ',
      'Bearer x',
    ]) {
      expect(await withHeader(bad), bad).toBe(401);
    }
  });

  it('reads the token from nowhere else', async () => {
    const cookie = { target: '/v1/printers', headers: { Cookie: `access_token=${token}` } };
    const query = { target: `/v1/printers?access_token=${token}` };
    const form = { ...tokenRequest({ access_token: token }), method: 'GET', target: '/v1/printers' };
    for (const sent of [cookie, query, form]) expect((await send(mock, sent)).status).toBe(401);
  });

  it('rejects a token with any character altered', async () => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const claims = { ...decodeJwt(token), scope: 'admin' };
    const edited = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const spoiled = [
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${edited}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${token}x`,
      `${token}.x`,
      token.slice(0, -1),
      swapCase(token),
      mock.expiredToken,
    ];
    for (const one of spoiled) expect((await page(mock, one, '')).status, one).toBe(401);
    for (let index = 0; index < token.length; index += 1) {
      if (token[index] === '.') continue;
      const other = token[index] === 'A' ? 'B' : 'A';
      const altered = token.slice(0, index) + other + token.slice(index + 1);
      expect((await page(mock, altered, '?$pagesize=1')).status, String(index)).toBe(401);
    }
    expect((await page(mock, token, '')).status).toBe(200);
  });

  it('serves GET at exactly one path', async () => {
    const { headers } = listRequest(mock, token, '');
    const status = async (method: string, target: string): Promise<number> =>
      (await send(mock, { method, target, headers: headers ?? {} })).status;
    expect(await status('POST', '/v1/printers')).toBe(405);
    expect(await status('HEAD', '/v1/printers')).toBe(405);
    for (const target of [
      '/v1/printers/',
      '/v1//printers',
      '/V1/printers',
      '/v1/%70rinters',
      '/v1/./printers',
      '/',
    ]) {
      expect(await status('GET', target), target).toBe(404);
    }
  });
});

describe('opaque tokens', () => {
  it('have 43 characters and are compared exactly', async () => {
    const opaque = await startMock({ tokens: 'opaque' });
    const text = await tokenOf(opaque);
    expect(text).toMatch(/^[\w-]{43}$/);
    expect((await page(opaque, text, '')).status).toBe(200);
    for (const bad of [text.slice(1), `${text}A`, swapCase(text), opaque.expiredToken]) {
      expect((await page(opaque, bad, '')).status).toBe(401);
    }
    await opaque.close();
  });
});

describe('the clock', () => {
  it.each(['jwt', 'opaque'] as const)(
    'lets a %s token expire after 3600 of its own seconds',
    async (tokens) => {
      vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_900 });
      try {
        const fast = await startMock({ tokens, clockRate: 2 });
        const start = Date.now();
        const got = membersOf((await send(fast, tokenRequest(fieldsOf(fast.credentials)))).text);
        expect(got['expires_in']).toBe(3600);
        vi.setSystemTime(start + 1_799_950);
        expect((await page(fast, String(got['access_token']), '')).status).toBe(200);
        vi.setSystemTime(start + 1_800_001);
        expect((await page(fast, String(got['access_token']), '')).status).toBe(401);
        await fast.close();
      } finally {
        vi.useRealTimers();
      }
    },
  );
});

describe('the list', () => {
  it('returns 500 records without count and link by default', async () => {
    const got = await page(mock, token, '');
    expect(got.items).toHaveLength(500);
    expect(got).toMatchObject({ count: undefined, nextPageLink: undefined });
    for (const item of got.items) {
      expect(Object.entries(item).map(([name, value]) => `${name} ${typeof value}`)).toEqual([
        'id string',
        'displayName string',
        'agent string',
      ]);
    }
    expect(JSON.stringify(got.items)).toMatch(/[^ -~]/);
  });

  it('returns links with $count, up to the end', async () => {
    expect(await page(mock, token, '?$count=true&$pagesize=3')).toMatchObject({
      count: 1234,
      nextPageLink: '/v1/printers?$count=true&$pagesize=3&$skip=3',
    });
    expect((await page(mock, token, '?$count=TRUE&$skip=733')).nextPageLink).toMatch(/skip=1233$/);
    expect((await page(mock, token, '?$count=true&$skip=734')).nextPageLink).toBeUndefined();
    expect(await page(mock, token, '?$count=false&$pagesize=3')).toMatchObject({
      count: undefined,
      nextPageLink: undefined,
    });
  });

  it.each([1, 2, 7, 250, 499, 500])('returns %d records on request', async (size) => {
    for (const query of [
      `?$pagesize=${size}`,
      `?%24pagesize=${size}&%24count=true`,
      `?$count=true&%24pagesize=${size}`,
    ]) {
      const got = await page(mock, token, query);
      expect(got.items).toHaveLength(size);
      expect(got.count).toBe(query.includes('count') ? 1234 : undefined);
    }
  });

  it('caps larger sizes and rejects all but whole numbers from 1', async () => {
    for (const size of ['501', '100000', '2147483648', '18446744073709551616', '00501']) {
      expect((await page(mock, token, `?$pagesize=${size}`)).items).toHaveLength(500);
    }
    for (const size of ['0', '-1', '', 'x', '1.5', '1e3', '+7', '0x10', '7&$pagesize=7']) {
      expect((await page(mock, token, `?$pagesize=${size}`)).status, size).toBe(400);
    }
    for (const skip of ['-1', 'x', '']) expect((await page(mock, token, `?$skip=${skip}`)).status).toBe(400);
  });

  it('ignores unknown parameters, and returns nothing after the end', async () => {
    expect((await page(mock, token, '?$top=1&x=%&&=&$Count=true&$pagesize=2')).items).toHaveLength(2);
    expect(await page(mock, token, '?$count=true&$skip=99999999999999999999')).toMatchObject({
      items: [],
      count: 1234,
    });
  });
});

describe('the start', () => {
  it('rejects options out of bounds', async () => {
    await expect(startMock({ records: 10_000_001 })).rejects.toThrow('records');
    await expect(startMock({ records: 1.5 })).rejects.toThrow('records');
    await expect(startMock({ clockRate: 0 })).rejects.toThrow('clockRate');
    await expect(startMock({ basePath: 'int' })).rejects.toThrow('basePath');
    await expect(startMock({ port: Number(new URL(mock.authUrl).port) })).rejects.toThrow('EADDRINUSE');
  });

  it('answers at the end of ten million records with constant memory', async () => {
    const large = await startMock({ records: 10_000_000 });
    const text = await tokenOf(large);
    const before = process.memoryUsage().heapUsed;
    for (let skip = 9_000_000; skip < 10_000_000; skip += 10_000) {
      expect((await page(large, text, `?$count=true&$skip=${skip}`)).items).toHaveLength(500);
    }
    const last = await page(large, text, '?$count=true&$skip=9999999');
    expect(last).toMatchObject({ count: 10_000_000, nextPageLink: undefined });
    expect(last.items).toHaveLength(1);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
    await large.close();
  });

  it('serves several lists, a base path, given credentials and the same records for a seed', async () => {
    const credentials = { clientId: 'Me', clientSecret: 'a+b&c=d%20é', scope: 'one two' };
    const options = {
      basePath: '/int',
      credentials,
      seed: 7,
      latencyMs: 5,
      resources: [{ path: '/v1/printers', records: 3 }, { path: '/v1/units' }],
    };
    const [first, second] = [await startMock(options), await startMock(options)];
    expect(first.baseUrl).toBe(`${first.authUrl}/int`);
    const [one, two] = [await tokenOf(first), await tokenOf(second)];
    const [left, right] = [await page(first, one, '?$count=true'), await page(second, two, '?$count=true')];
    expect(left.count).toBe(3);
    expect(left.items).toEqual(right.items);
    const headers = { Authorization: `Bearer ${one}` };
    expect((await send(first, { target: '/int/v1/units', headers })).status).toBe(200);
    expect((await send(first, { target: '/v1/printers', headers })).status).toBe(404);
    // A token of one provider is invalid for the other.
    expect((await page(second, one, '')).status).toBe(401);
    expect(first.requests()).toBe(4);
    await Promise.all([first.close(), second.close()]);
  });

  it('closes all connections immediately', async () => {
    const closing = await startMock({ latencyMs: 60_000 });
    const socket = connect(Number(new URL(closing.authUrl).port), '127.0.0.1');
    socket.write('GET /v1/printers HTTP/1.1\r\nHost: x\r\n\r\n');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await vi.waitFor(() => expect(closing.requests()).toBe(1));
    await closing.close();
    await closed;
  });
});
