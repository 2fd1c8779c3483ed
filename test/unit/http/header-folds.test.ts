import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authority, files, signed } from '../../support/http/certificates.ts';
import { bodyText, fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

async function answered(pieces: readonly string[]) {
  const server = await rawServer((socket) => {
    socket.setNoDelay(true);
    onRequest(socket, async () => {
      for (const piece of pieces) {
        socket.write(Buffer.from(piece, 'latin1'));
        await setImmediate();
      }
      socket.end();
    });
  });
  const { client } = rig([server.origin], { retries: 0 });
  const exchange = await client.send(get(server.origin));
  return {
    failure: exchange.failure?.code ?? null,
    headers: exchange.answer?.headers ?? [],
    body: exchange.answer === null ? null : bodyText(exchange),
  };
}

const FOLDED = `${head('Content-Type: application/json;\r\n\tcharset=utf-8', 'X-A: 1\r\n  2\r\n \t3', 'X-B:\r\n \r\n b', 'Content-Length:\r\n 2')}{}`;

describe('folded headers', () => {
  it('are read as one line, including white space', async () => {
    expect(await answered([FOLDED])).toEqual({
      failure: null,
      headers: [
        ['Content-Type', 'application/json;   charset=utf-8'],
        ['X-A', '1    2    3'],
        ['X-B', 'b'],
        ['Content-Length', '2'],
      ],
      body: '{}',
    });
  });

  it.each(Array.from({ length: FOLDED.length - 1 }, (_, index) => index + 1))(
    'are read wherever the bytes are cut: %i',
    async (cut) => {
      const { failure, body, headers } = await answered([FOLDED.slice(0, cut), FOLDED.slice(cut)]);
      expect({ failure, body }).toEqual({ failure: null, body: '{}' });
      expect(headers.map(([, value]) => value.replace(/\s+/g, ' '))).toEqual([
        'application/json; charset=utf-8',
        '1 2 3',
        'b',
        '2',
      ]);
    },
  );

  it('are read byte by byte and after interim answers, and delimit the body', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>;\r\n rel=preload\r\n\r\n';
    const chunked = `${interim}${head('Transfer-Encoding:\r\n chunked')}3\r\n\r\n \r\n0\r\n\r\n`;
    expect(await answered([...chunked])).toMatchObject({ failure: null, body: '\r\n ' });
  });

  it('do not change bodies', async () => {
    const body = 'a: b\r\n c\r\n\td\r\n';
    const answer = head(`Content-Length: ${body.length}`);
    expect(await answered([answer + body])).toMatchObject({ failure: null, body });
    expect(await answered([answer, ...body])).toMatchObject({ failure: null, body });
  });

  it.each([
    ['a length on two lines', head('Content-Length: 2\r\n 0')],
    ['two lengths', head('Content-Length:\r\n 2', 'Content-Length: 3')],
    ['a length and a folded coding', head('Content-Length: 9', 'Transfer-Encoding:\r\n chunked')],
    ['white space before the colon', head('Content-Length\r\n : 2')],
    ['a folding behind the status line', 'HTTP/1.1 200 OK\r\n X-A: b\r\nContent-Length: 2\r\n\r\n'],
    ['a folding by LF alone', 'HTTP/1.1 200 OK\r\nX-A: b\n c\r\nContent-Length: 2\r\n\r\n'],
    ['a folding by CR alone', 'HTTP/1.1 200 OK\r\nX-A: b\r c\r\nContent-Length: 2\r\n\r\n'],
    ['a control character', head('X-A: b\r\n \u0001', 'Content-Length: 2')],
    ['a folded trailer', `${head('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\nX-A: b\r\n c\r\n\r\n`],
  ])('allow no second reading: %s is malformed', async (_what, text) => {
    for (const pieces of [[`${text}{}`], [...text, '{', '}']])
      expect((await answered(pieces)).failure).toBe('malformed');
  });

  it('that are truncated are not an answer', async () => {
    for (const text of ['HTTP/1.1 200 OK\r\nX-A: b\r\n', 'HTTP/1.1 200 OK\r\nX-A: b\r\n '])
      expect((await answered([text])).failure).toBe('truncated');
  });

  it('are read over TLS and through a proxy', async () => {
    const ca = await authority('authority');
    const server = createServer(await signed('provider.example', ca), (socket) => {
      socket.on('error', () => undefined);
      onRequest(socket, () => socket.end(FOLDED));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = await rawServer((socket) => {
      socket.once('data', () => {
        const onward = connect(port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => socket.destroy());
      });
    });
    const [caFile = null] = files(ca.cert);
    const tls = { ca: caFile, cert: null, key: null };
    const origin = `https://127.0.0.1:${port}`;
    for (const env of [{}, { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }]) {
      const { client } = rig([origin], { retries: 0 }, { env, tls });
      expect(bodyText(await client.send(get(origin)))).toBe('{}');
    }
    expect(proxy.connections).toHaveLength(1);
  });

  it('are read on a reused connection', async () => {
    const server = await fixedServer(FOLDED, true);
    const { client } = rig([server.origin]);
    for (let round = 0; round < 3; round += 1)
      expect(bodyText(await client.send(get(server.origin)))).toBe('{}');
    expect(server.connections).toHaveLength(1);
  });
});
