import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import type { Limits } from '../../../src/target/target.ts';
import { answer, bodyText, fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

async function ask(bytes: string | Buffer, limits: Partial<Limits> = {}): Promise<Exchange> {
  const server = await fixedServer(bytes);
  const { client } = rig([server.origin], { retries: 0, ...limits });
  return await client.send(get(server.origin));
}

describe('an answer', () => {
  it('is reported unchanged', async () => {
    const bytes = answer('HTTP/1.1 418 Short and stout\nX-A: 1\nx-a: 2\nContent-Length: 4', 'tëa');
    const exchange = await ask(bytes);
    expect(exchange.answer).toMatchObject({
      status: 418,
      statusText: 'Short and stout',
      httpVersion: '1.1',
      headers: [
        ['X-A', '1'],
        ['x-a', '2'],
        ['Content-Length', '4'],
      ],
      bodyBytesOnWire: 4,
    });
    expect(bodyText(exchange)).toBe('tëa');
    expect(exchange).toMatchObject({ number: 1, connection: 1, retry: 0, failure: null });
    expect(exchange.firstByteMs).toBeGreaterThan(0);
    expect(exchange.durationMs).toBeGreaterThanOrEqual(exchange.firstByteMs ?? 0);
    expect(Math.abs(Date.now() - exchange.startedAt)).toBeLessThan(60_000);
  });

  it.each([
    ['ends with the connection', answer('HTTP/1.0 200 OK', 'body')],
    [
      'is chunked',
      answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked', '2\r\nbo\r\n2;x=y\r\ndy\r\n0\r\nT: x\r\n\r\n'),
    ],
    [
      'follows interim answers',
      Buffer.concat([
        answer('HTTP/1.1 103 Early Hints\nLink: x'),
        answer('HTTP/1.1 100 Continue'),
        answer('HTTP/1.1 200 OK\nContent-Length: 4', 'body'),
      ]),
    ],
    [
      'names the identity coding',
      answer('HTTP/1.1 200 OK\nContent-Encoding: identity\nContent-Length: 4', 'body'),
    ],
  ])('is read if it %s', async (_what, bytes) => {
    expect(bodyText(await ask(bytes))).toBe('body');
  });

  it('may still be decoded while its connection carries the next one', async () => {
    const body = gzipSync('a page of records, '.repeat(20_000));
    const head = `HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: ${body.length}`;
    const server = await fixedServer(answer(head, body), true);
    const { client } = rig([server.origin], { retries: 0, concurrency: 8 });
    const exchanges = await Promise.all(Array.from({ length: 64 }, () => client.send(get(server.origin))));
    expect(exchanges.map(({ failure }) => failure)).toEqual(exchanges.map(() => null));
  });

  it.each([204, 304])('with status %i has no body with any coding', async (status) => {
    const exchange = await ask(answer(`HTTP/1.1 ${status} X\nContent-Encoding: gzip`));
    expect(exchange.answer?.status).toBe(status);
    expect(exchange.answer?.body).toHaveLength(0);
  });

  it('to HEAD has no body', async () => {
    const server = await fixedServer(
      answer('HTTP/1.1 200 OK\nContent-Length: 99999999999\nContent-Encoding: br'),
    );
    const { client } = rig([server.origin]);
    const exchange = await client.send({ ...get(server.origin), method: 'HEAD' });
    expect(exchange.answer?.body).toHaveLength(0);
  });

  it('may have many and long headers within the limits', async () => {
    const headers = Array.from({ length: 900 }, (_, index) => `X-${index}: ${'x'.repeat(50)}`).join('\n');
    const exchange = await ask(answer(`HTTP/1.1 200 OK\n${headers}\nContent-Length: 0`));
    expect(exchange.answer?.headers).toHaveLength(901);
  });
});

describe('content codings', () => {
  const text = JSON.stringify({ items: Array.from({ length: 2000 }, (_, index) => ({ id: `${index}` })) });
  const plain = Buffer.from(text);

  it.each([
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['GZIP', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['deflate', deflateSync(plain, { level: 0 })],
    ['br', brotliCompressSync(plain)],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
    ['br,identity, deflate , gzip', gzipSync(deflateRawSync(brotliCompressSync(plain)))],
    ['gzip', Buffer.concat([gzipSync(plain.subarray(0, 100)), gzipSync(plain.subarray(100))])],
  ])('%s is decoded', async (coding, body) => {
    const head = `HTTP/1.1 200 OK\nContent-Encoding: ${coding}\nContent-Length: ${body.length}`;
    const exchange = await ask(answer(head, body));
    expect(exchange.failure).toBeNull();
    expect(bodyText(exchange)).toBe(text);
    expect(exchange.answer?.bodyBytesOnWire).toBe(body.length);
  });

  it('are decoded if they arrive byte by byte', async () => {
    for (const [coding, body] of [
      ['deflate', deflateSync('short body')],
      ['deflate', deflateRawSync('short body')],
      ['gzip', gzipSync('short body')],
    ] as const) {
      const chunks = [...body].map((byte) =>
        Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte, 13, 10])]),
      );
      const head = answer(`HTTP/1.1 200 OK\nContent-Encoding: ${coding}\nTransfer-Encoding: chunked`);
      const exchange = await ask(Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]));
      expect(bodyText(exchange)).toBe('short body');
    }
  });

  it.each([
    ['gzip', Buffer.from('{"items":[]}')],
    ['gzip', gzipSync(plain).subarray(0, 200)],
    ['gzip, gzip', gzipSync('')],
    ['deflate', Buffer.from([0xff])],
    ['deflate', Buffer.from('x')],
    ['deflate', deflateSync(plain).subarray(0, 200)],
    ['deflate', deflateRawSync(plain).subarray(0, 200)],
    ['br', Buffer.from('{"items":[]}')],
    ['br', brotliCompressSync(plain).subarray(0, 200)],
    ['zstd', plain],
    ['gzip, gzip, gzip, gzip, gzip', plain],
  ])('invalid %s is a failure', async (coding, body) => {
    const head = `HTTP/1.1 200 OK\nContent-Encoding: ${coding}\nContent-Length: ${body.length}`;
    const exchange = await ask(answer(head, body), { answerTimeoutMs: 5000 });
    expect(exchange).toMatchObject({ answer: null, failure: { code: 'encoding' } });
    expect(exchange.failure?.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+ sent a/);
  });

  it('may be followed by bytes, which are dropped', async () => {
    for (const [coding, body] of [
      ['gzip', Buffer.concat([gzipSync('body'), Buffer.alloc(16)])],
      ['deflate', deflateSync('body')],
      ['deflate', deflateRawSync('body')],
    ] as const) {
      const bytes = Buffer.concat([body, Buffer.alloc(150_000)]);
      const head = `HTTP/1.1 200 OK\nContent-Encoding: ${coding}\nContent-Length: ${bytes.length}`;
      const exchange = await ask(answer(head, bytes), { answerTimeoutMs: 5000 });
      expect([coding, exchange.failure, bodyText(exchange)]).toEqual([coding, null, 'body']);
    }
  });
});

describe('a broken answer', () => {
  it.each([
    ['closed', 'no answer at all', ''],
    ['truncated', 'a body shorter than its length', answer('HTTP/1.1 200 OK\nContent-Length: 10', 'short')],
    ['truncated', 'half a status line', 'HTTP/1.1 2'],
    ['truncated', 'half the headers', 'HTTP/1.1 200 OK\r\nContent-Type: text'],
    ['truncated', 'a cut chunk', answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked', '5\r\nab')],
    ['truncated', 'no last chunk', answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked', '2\r\nab\r\n')],
    [
      'truncated',
      'a compressed body that is cut',
      answer('HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 900', gzipSync('x')),
    ],
    ['malformed', 'another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['malformed', 'HTML without HTTP', '<html></html>\r\n\r\n'],
    [
      'malformed',
      'a chunk size that is no number',
      answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked', 'xyz\r\n'),
    ],
    ['malformed', 'two lengths', answer('HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2', 'ab')],
    [
      'malformed',
      'a length and chunks',
      answer('HTTP/1.1 200 OK\nContent-Length: 1\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    ],
    ['malformed', 'a length that is no number', answer('HTTP/1.1 200 OK\nContent-Length: many', 'ab')],
    ['malformed', 'a header without a colon', answer('HTTP/1.1 200 OK\nnonsense', 'ab')],
    [
      'malformed',
      'a change of protocol',
      answer('HTTP/1.1 101 Switching Protocols\nConnection: upgrade\nUpgrade: websocket'),
    ],
    [
      'malformed',
      'interim answers without end',
      Buffer.concat([...Array(40)].map(() => answer('HTTP/1.1 102 Processing'))),
    ],
    ['headers-too-large', 'a header of a megabyte', answer(`HTTP/1.1 200 OK\nX-A: ${'x'.repeat(1_000_000)}`)],
    [
      'headers-too-large',
      'thousands of headers',
      answer(`HTTP/1.1 200 OK\n${'A: b\n'.repeat(3000)}Content-Length: 0`),
    ],
    [
      'body-too-large',
      'a length beyond the limit',
      answer('HTTP/1.1 200 OK\nContent-Length: 1001', 'x'.repeat(1001)),
    ],
    [
      'body-too-large',
      'chunks beyond the limit',
      answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked', `3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`),
    ],
    [
      'body-too-large',
      'a body beyond the limit without a length',
      answer('HTTP/1.1 200 OK', 'x'.repeat(1001)),
    ],
    [
      'body-too-large',
      'a compressed body beyond the limit',
      answer('HTTP/1.1 200 OK\nContent-Encoding: gzip', gzipSync('x'.repeat(1001))),
    ],
    [
      'body-too-large',
      'a coding in a coding beyond the limit',
      answer('HTTP/1.1 200 OK\nContent-Encoding: gzip, gzip', gzipSync(gzipSync('x'.repeat(1001)))),
    ],
  ])('is %s: %s', async (code, _what, bytes) => {
    const exchange = await ask(bytes, { maxBodyBytes: 1000, answerTimeoutMs: 10_000 });
    expect(exchange).toMatchObject({ answer: null, failure: { code } });
    expect(exchange.failure?.message).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    expect(exchange.failure?.message).not.toMatch(/\n| at |Error/);
  });

  it('may have a body of exactly the limit', async () => {
    const exchange = await ask(answer('HTTP/1.1 200 OK\nContent-Length: 1000', 'x'.repeat(1000)), {
      maxBodyBytes: 1000,
    });
    expect(exchange.answer?.body).toHaveLength(1000);
  });

  it('does not stop the next request', async () => {
    const server = await rawServer((socket, index) => {
      onRequest(socket, () => {
        if (index === 0) socket.end('garbage\r\n\r\n');
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    const { client } = rig([server.origin]);
    expect((await client.send(get(server.origin))).failure?.code).toBe('malformed');
    expect(bodyText(await client.send(get(server.origin)))).toBe('ok');
  });

  it('with more bytes than its Content-Length is not read as two answers', async () => {
    const server = await rawServer((socket) => {
      onRequest(socket, (_head, index) => {
        const more = index === 0 ? 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil' : '';
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood${more}`);
      });
    });
    const { client } = rig([server.origin]);
    for (let round = 0; round < 3; round += 1) {
      const exchange = await client.send(get(server.origin));
      if (exchange.failure === null) expect(bodyText(exchange)).toBe('good');
    }
  });
});
