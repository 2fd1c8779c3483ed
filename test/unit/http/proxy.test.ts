import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProxySettingError, proxyFor } from '../../../src/http/proxy.ts';
import { authority, files, signed } from '../../support/http/certificates.ts';
import { bodyText, fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function provider(seen: string[], name = 'provider.example', ip: string | null = '127.0.0.1') {
  const ca = await authority('authority');
  [caFile = ''] = files(ca.cert);
  const { cert, key } = await signed(name, ca, { ip });
  const server = createSecureServer({ cert, key }, (request, response) => {
    seen.push(`${request.url} ${request.headers['authorization']}`);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

let caFile = '';

/** A proxy that connects every CONNECT to a fixed port. */
async function tunnelTo(port: number, heads: string[]) {
  return await rawServer((socket) => {
    socket.once('data', (head: Buffer) => {
      heads.push(head.toString('latin1'));
      const onward: Socket = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('close', () => onward.destroy());
    });
  });
}

function proxyUrl(credentials: string, port: number): string {
  return `http://${credentials}@127.0.0.1:${port}`;
}

const tls = () => ({ ca: caFile, cert: null, key: null });

describe('an http provider behind a proxy', () => {
  it('receives requests through it unchanged, with the name of the provider', async () => {
    const heads: string[] = [];
    const proxy = await rawServer((socket) => {
      onRequest(socket, (head) => {
        heads.push(head);
        socket.write(OK);
      });
    });
    const origin = 'http://provider.example:8080';
    const env = { http_proxy: proxyUrl('us%40er:p%3Ass', proxy.port) };
    const { client } = rig([origin], {}, { env });

    const exchange = await client.send(get(origin, "/a/../b?$count=true&%24x='"));
    await client.send(get(origin));

    expect(bodyText(exchange)).toBe('ok');
    expect(heads[0]).toMatch(
      /^GET http:\/\/provider\.example:8080\/a\/\.\.\/b\?\$count=true&%24x=' HTTP\/1\.1\r\n/,
    );
    expect(heads[0]).toMatch(/\r\nHost: provider\.example:8080\r\n/);
    const credentials = Buffer.from('us@er:p:ss').toString('base64');
    expect(heads[0]).toContain(`\r\nProxy-Authorization: Basic ${credentials}\r\n`);
    expect(proxy.connections).toHaveLength(1);
    expect(JSON.stringify(exchange.request)).not.toContain(credentials);
  });

  it('fails with code proxy if the proxy is unreachable or requires credentials', async () => {
    const origin = 'http://provider.example';
    const gone = rig([origin], { retries: 0 }, { env: { HTTP_PROXY: proxyUrl('user:pass', 1) } });
    expect((await gone.client.send(get(origin))).failure).toEqual({
      code: 'proxy',
      message: 'the proxy http://127.0.0.1:1 did not connect to http://provider.example (ECONNREFUSED)',
    });
    const proxy = await fixedServer('HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n');
    const strict = rig([origin], {}, { env: { HTTP_PROXY: `127.0.0.1:${proxy.port}` } });
    expect((await strict.client.send(get(origin))).failure?.code).toBe('proxy');
  });
});

describe('an https provider behind a proxy', () => {
  it('receives requests through a tunnel that reveals nothing to the proxy', async () => {
    const seen: string[] = [];
    const heads: string[] = [];
    const port = await provider(seen);
    const proxy = await tunnelTo(port, heads);
    const origin = `https://provider.example:${port}`;
    const env = { HTTPS_PROXY: proxyUrl('user:pass', proxy.port) };
    const { client } = rig([origin], {}, { env, tls: tls() });

    const headers = [['Authorization', 'Bearer secret']] as const;
    const results = [];
    for (let round = 0; round < 3; round += 1)
      results.push(await client.send(get(origin, "/?$count='", headers)));

    expect(results.map((exchange) => exchange.failure ?? bodyText(exchange))).toEqual(['ok', 'ok', 'ok']);
    expect(seen).toEqual(Array(3).fill("/?$count=' Bearer secret"));
    expect(heads).toHaveLength(1);
    expect(heads[0]).toMatch(new RegExp(`^CONNECT provider\\.example:${port} HTTP/1\\.1\r\n`));
    expect(heads[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from('user:pass').toString('base64')}`);
    expect(heads[0]).not.toContain('secret');
    expect(new Set(results.map(({ connection }) => connection)).size).toBe(1);
  });

  it.each([
    ['https://127.0.0.1', 'provider.example', '127.0.0.1', null],
    ['https://[::1]', 'provider.example', '::1', null],
    ['https://provider.example', 'provider.example', null, null],
    ['https://localhost', 'localhost', null, null],
    ['https://127.0.0.1', 'localhost', null, 'tls'],
    ['https://127.0.0.1', 'localhost', '127.0.0.2', 'tls'],
    ['https://[::1]', 'localhost', '127.0.0.1', 'tls'],
    ['https://provider.example', 'localhost', '127.0.0.1', 'tls'],
  ])('at %s with a certificate for %s and %s: failure %s', async (host, name, ip, code) => {
    const seen: string[] = [];
    const heads: string[] = [];
    const port = await provider(seen, name, ip);
    const proxy = await tunnelTo(port, heads);
    const origin = `${host}:${port}`;
    const { client } = rig([origin], {}, { env: { HTTPS_PROXY: proxyUrl('u:p', proxy.port) }, tls: tls() });

    const exchange = await client.send(get(origin));

    expect(exchange.failure?.code ?? null).toBe(code);
    expect(seen).toHaveLength(code === null ? 1 : 0);
    expect(heads[0]).toMatch(/^CONNECT /);
  });

  it.each([
    ['refuses', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', /it answered 403 to CONNECT$/],
    [
      'requires credentials',
      'HTTP/1.1 407 Who?\r\nContent-Length: 4\r\n\r\nnope',
      /it answered 407 to CONNECT$/,
    ],
    ['closes', '', /^the proxy http:\/\/127\.0\.0\.1:\d+ did not connect to https:\/\/provider\.example/],
  ])('fails with code proxy if the proxy %s', async (_what, answer, sentence) => {
    const proxy = await rawServer((socket) => onRequest(socket, () => socket.end(answer)));
    const origin = 'https://provider.example';
    const { client, exchanges } = rig([origin], {}, { env: { https_proxy: proxyUrl('u:p', proxy.port) } });
    const { failure } = await client.send(get(origin));
    expect(failure?.code).toBe('proxy');
    expect(failure?.message).toMatch(sentence);
    expect(failure?.message).not.toContain('u:p');
    expect(exchanges).toHaveLength(1);
  });

  it.each([
    ['is closed', (socket: Socket) => socket.destroy(), /closed during the handshake/],
    ['never ends', () => undefined, /handshake did not finish within 150 ms/],
  ])('is to blame, and not the proxy, if the handshake with it %s', async (_what, react, sentence) => {
    const proxy = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.once('data', () => react(socket));
      });
    });
    const origin = 'https://provider.example';
    const env = { https_proxy: proxyUrl('u:p', proxy.port) };
    const { client } = rig([origin], { connectTimeoutMs: 150, retries: 0 }, { env });
    const { failure } = await client.send(get(origin));
    expect(failure?.code).toBe('tls');
    expect(failure?.message).toMatch(sentence);
  });

  it('ends in time if the proxy never answers, and leaves no connection open', async () => {
    const proxy = await rawServer(() => {});
    const origin = 'https://provider.example';
    const env = { https_proxy: `http://127.0.0.1:${proxy.port}` };
    const { client } = rig([origin], { connectTimeoutMs: 150 }, { env });
    expect((await client.send(get(origin))).failure?.code).toBe('connect-timeout');
    const closed = new Promise((resolve) => proxy.connections[0]?.on('close', resolve));
    proxy.connections[0]?.resume();
    await client.close();
    await closed;
  });
});

describe('the environment', () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'plain:80' };
  const chosen = (url: string, more: NodeJS.ProcessEnv = {}): string | null =>
    proxyFor(new URL(url), { ...env, ...more })?.href ?? null;

  it('selects the proxy by scheme, lower case first', () => {
    expect(chosen('https://a.example')).toBe('http://proxy:3128/');
    expect(chosen('http://a.example')).toBe('http://plain/');
    expect(chosen('https://a.example', { https_proxy: 'https://other' })).toBe('https://other/');
    expect(chosen('https://a.example', { HTTPS_PROXY: '' })).toBeNull();
    expect(proxyFor(new URL('https://a.example'), {})).toBeNull();
  });

  it.each([
    ['*', true],
    ['a.example', true],
    ['A.Example', true],
    ['.a.example', true],
    ['*.a.example', true],
    ['example', true],
    ['b.example, a.example', true],
    ['b.example a.example:8443', true],
    ['a.example:443', false],
    ['x.a.example', false],
    ['xample', false],
    ['', false],
  ])('NO_PROXY=%s exempts a.example:8443: %s', (list, exempt) => {
    expect(chosen('https://a.example:8443', { NO_PROXY: list }) === null).toBe(exempt);
  });

  it('exempts addresses', () => {
    expect(chosen('http://127.0.0.1:80', { no_proxy: 'localhost,127.0.0.1' })).toBeNull();
    expect(chosen('https://[::1]:9', { no_proxy: '::1' })).toBeNull();
    expect(chosen('https://[::1]:9', { no_proxy: '[::1]:9' })).toBeNull();
    expect(chosen('https://[::1]:9', { no_proxy: '[::1]:8' })).not.toBeNull();
  });

  it.each(['socks5://proxy:1080', 'http://', '://x', 'http://a b'])('rejects %j', async (setting) => {
    expect(() => chosen('https://a.example', { HTTPS_PROXY: setting })).toThrow(ProxySettingError);
    const { client } = rig(['https://a.example'], {}, { env: { HTTPS_PROXY: setting } });
    expect((await client.send(get('https://a.example'))).failure).toEqual({
      code: 'proxy',
      message:
        'no request was sent to https://a.example: the environment variable HTTPS_PROXY is not the URL of an http or https proxy',
    });
  });

  it.each(['http://user:50%@proxy:3128', 'http://%zz:pass@proxy:3128', 'http://user:%ff@proxy:3128'])(
    'refuses %j, whose credentials cannot be decoded, and shows none of them',
    async (setting) => {
      const { client } = rig(['https://a.example'], {}, { env: { HTTPS_PROXY: setting } });
      expect((await client.send(get('https://a.example'))).failure).toEqual({
        code: 'proxy',
        message:
          'no request was sent to https://a.example: the user name or password in the environment variable HTTPS_PROXY contains a % that starts no escape sequence; write it as %25',
      });
      expect(chosen('https://a.example', { HTTPS_PROXY: 'http://user:50%25@proxy:3128' })).not.toBeNull();
    },
  );
});
