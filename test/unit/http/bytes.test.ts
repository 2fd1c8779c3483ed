import { describe, expect, it } from 'vitest';
import { fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

async function echoServer(heads: string[]) {
  return await rawServer((socket) => {
    onRequest(socket, (head) => {
      heads.push(head);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
}

describe('the bytes of a request', () => {
  it.each([
    '/v1/printers?$count=true&$pagesize=7',
    '/v1/printers?%24count=true&%24pagesize=7',
    "/v1/printers?name='o''hara'&x=%27",
    '/a/../b/%2e%2e/./c//d',
    '/v1?q=a+b%20c%2Fd/e?f#not-a-fragment',
    '/%',
    '/?[]{}|\\^`"<>',
    '/v1/printers?',
    `/${'a'.repeat(9000)}`,
  ])('sends the request target %s unchanged', async (target) => {
    const heads: string[] = [];
    const server = await echoServer(heads);
    const { client } = rig([server.origin]);

    const exchange = await client.send(get(server.origin, target));

    expect(exchange.failure).toBeNull();
    expect(heads[0]?.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
    expect(exchange.request.target).toBe(target);
  });

  it('sends headers in their order and spelling, including repeated ones, and adds those that HTTP needs', async () => {
    const heads: string[] = [];
    const server = await echoServer(heads);
    const { client } = rig([server.origin]);

    const exchange = await client.send(
      get(server.origin, '/', [
        ['aUTHORIZATION', 'Bearer abc'],
        ['X-Two', 'one'],
        ['x-two', 'two'],
        ['X-Latin', 'é'],
      ]),
    );

    expect(heads[0]?.split('\r\n')).toEqual([
      'GET / HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      'aUTHORIZATION: Bearer abc',
      'X-Two: one',
      'x-two: two',
      'X-Latin: é',
      expect.stringMatching(/^User-Agent: assay\/\d+\.\d+\.\d+/),
      'Accept-Encoding: gzip, deflate, br',
      'Connection: keep-alive',
      '',
      '',
    ]);
    expect(exchange.request.headers[0]).toEqual(['Host', `127.0.0.1:${server.port}`]);
  });

  it('does not change headers of the caller', async () => {
    const heads: string[] = [];
    const server = await echoServer(heads);
    const { client } = rig([server.origin]);
    const headers = [
      ['host', 'other.example'],
      ['user-agent', 'x'],
      ['ACCEPT-ENCODING', 'identity'],
      ['Connection', 'close'],
    ] as const;

    await client.send(get(server.origin, '/', headers));

    expect(heads[0]?.split('\r\n')).toEqual([
      'GET / HTTP/1.1',
      'host: other.example',
      'user-agent: x',
      'ACCEPT-ENCODING: identity',
      'Connection: close',
      '',
      '',
    ]);
  });

  it.each(['GET', 'POST', 'DELETE'])('sends a body with %s and its length in bytes', async (method) => {
    const heads: string[] = [];
    const server = await echoServer(heads);
    const { client } = rig([server.origin]);

    const exchange = await client.send({ ...get(server.origin), method, body: 'grant=ü' });

    expect(exchange.answer?.status).toBe(200);
    expect(heads[0]).toMatch(/Content-Length: 8\r\n/);
    expect(Buffer.from(heads[0] ?? '', 'latin1').toString('utf8')).toMatch(/\r\n\r\ngrant=ü$/);
  });

  it('sends an empty POST with length 0', async () => {
    const heads: string[] = [];
    const server = await echoServer(heads);
    const { client } = rig([server.origin]);
    await client.send({ ...get(server.origin), method: 'POST' });
    expect(heads[0]).toMatch(/Content-Length: 0\r\n/);
  });

  it.each([
    ['a space', '/a b'],
    ['a line break', '/a\r\nX-Injected: 1'],
    ['NUL', '/a\0'],
    ['a character outside ASCII', '/é'],
    ['a character outside latin1', '/€'],
    ['no leading slash', 'v1/printers'],
    ['another host', 'http://evil.example/'],
    ['userinfo', '@evil.example/'],
    ['nothing', ''],
  ])('does not send a target with %s, and does not throw', async (_what, target) => {
    const server = await rawServer(() => {});
    const { client, exchanges } = rig([server.origin]);

    const exchange = await client.send(get(server.origin, target));

    expect(exchange.failure?.code).toBe('malformed');
    expect(exchange.failure?.message).toMatch(
      /^nothing was sent to http:\/\/127\.0\.0\.1:\d+: the request target/,
    );
    expect(server.connections).toHaveLength(0);
    expect(exchanges).toEqual([exchange]);
  });

  it.each([
    ['X-A', 'a\r\nX-B: b'],
    ['X-A\r\nX-B', 'b'],
    ['X-A', 'a\0'],
    ['X-A', '€'],
    ['', 'x'],
  ])('does not send the header %j: %j', async (name, value) => {
    const server = await rawServer(() => {});
    const { client } = rig([server.origin]);
    const exchange = await client.send(get(server.origin, '/', [[name, value]]));
    expect(exchange.failure?.code).toBe('malformed');
    expect(exchange.failure?.message).not.toMatch(/[\r\n]/);
    expect(server.connections).toHaveLength(0);
  });

  it('does not follow redirects', async () => {
    const server = await fixedServer('HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n', true);
    const { client, exchanges } = rig([server.origin]);
    const exchange = await client.send(get(server.origin));
    expect(exchange.answer?.status).toBe(302);
    expect(exchanges).toHaveLength(1);
  });
});
