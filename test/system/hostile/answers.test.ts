import type { Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answer, fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

/** Writes the piece repeatedly, as fast as it is read. */
function pour(socket: Socket, piece: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) {}
  };
  socket.on('drain', more);
  more();
}

describe('a hostile answer', () => {
  it('without end takes at most the limit of memory', async () => {
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        pour(socket, Buffer.from('1\r\nx\r\n'.repeat(10_000)));
      });
    });
    const { client } = rig([server.origin], { maxBodyBytes: 300_000 });
    const exchange = await client.send(get(server.origin));
    expect(exchange.failure?.code).toBe('body-too-large');
    expect(exchange.failure?.message).toMatch(/more than 300000 bytes \(limits\.maxBodyBytes\)/);
  });

  it('that is a compression bomb takes at most the limit of memory, four at a time', async () => {
    // 512 MB: the members of a gzip file may be concatenated.
    const bomb = Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16_777_216))));
    const server = await fixedServer(answer('HTTP/1.1 200 OK\nContent-Encoding: gzip', bomb));
    const { client } = rig([server.origin]);
    let peak = 0;
    const before = process.memoryUsage().rss;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }, 2);

    const exchanges = await Promise.all([1, 2, 3, 4].map(() => client.send(get(server.origin))));

    clearInterval(timer);
    for (const exchange of exchanges) expect(exchange.failure?.code).toBe('body-too-large');
    expect(peak).toBeLessThan(400 * 1_048_576);
  });

  it('that endlessly decodes to nothing is bounded by the bytes that it sends', async () => {
    // An empty stored deflate block, repeated.
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n');
        pour(socket, Buffer.concat(Array(5000).fill(Buffer.from([0, 0, 0, 0xff, 0xff]))));
      });
    });
    const { client } = rig([server.origin], { maxBodyBytes: 100_000, answerTimeoutMs: 20_000 });
    expect((await client.send(get(server.origin))).failure?.code).toBe('body-too-large');
  });

  it('with endless headers, trailers or interim answers is bounded', async () => {
    for (const [start, piece] of [
      ['HTTP/1.1 200 OK\r\n', 'A: b\r\n'],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'A: b\r\n'],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1', ';a=b'],
      ['', 'HTTP/1.1 102 Processing\r\n\r\n'],
      ['', 'x'],
      ['HTTP/1.1 200 ', 'x'],
    ] as const) {
      const server = await rawServer((socket) => {
        onRequest(socket, () => {
          socket.write(start);
          pour(socket, Buffer.from(piece.repeat(500)));
        });
      });
      const { client } = rig([server.origin], { answerTimeoutMs: 3000 });
      const exchange = await client.send(get(server.origin));
      expect([start, exchange.failure?.code]).toEqual([
        start,
        expect.stringMatching(/^(malformed|headers-too-large|answer-timeout)$/),
      ]);
    }
  });

  it('with large bodies on all connections is read sequentially', async () => {
    const body = Buffer.alloc(12_000_000, 'x');
    const packed = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const head = `HTTP/1.1 200 OK\nContent-Encoding: br\nContent-Length: ${packed.length}`;
    const compressed = await fixedServer(answer(head, packed));
    const plain = await fixedServer(answer(`HTTP/1.1 200 OK\nContent-Length: ${body.length}`, body));
    const { client } = rig([compressed.origin, plain.origin]);
    const sends = [compressed, plain, compressed, plain, plain].map(({ origin }) => client.send(get(origin)));
    for (const exchange of await Promise.all(sends)) expect(exchange.answer?.body).toHaveLength(body.length);
  });
});
