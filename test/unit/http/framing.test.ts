import { describe, expect, it } from 'vitest';
import { answer, bodyText, fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

const own = (body: string): Buffer => answer(`HTTP/1.1 200 OK\nContent-Length: ${body.length}`, body);
const forged = own('forged');

describe('bytes that belong to no answer', () => {
  it.each([
    ['a whole answer', forged],
    ['half a head', Buffer.from('HTTP/1.1 200 OK\r\nX-Swallow: ')],
    ['a word', Buffer.from('x')],
  ])('after an answer make it an error, and are never the next answer: %s', async (_what, behind) => {
    const server = await rawServer((socket) => {
      onRequest(socket, (head) => {
        const asked = /^GET (\S+)/.exec(head)?.[1] ?? '';
        socket.write(asked === '/first' ? Buffer.concat([own('first'), behind]) : own(asked));
      });
    });
    const { client } = rig([server.origin]);
    expect((await client.send(get(server.origin, '/first'))).failure?.code).toBe('malformed');
    expect(bodyText(await client.send(get(server.origin, '/second')))).toBe('/second');
  });

  it('after the last chunk make an answer an error', async () => {
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        const chunks = '5\r\nfirst\r\n0\r\nX-Trailer: a\r\n\r\n';
        socket.write(answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked', `${chunks}HTTP/1.1 2`));
      });
    });
    const { client } = rig([server.origin]);
    expect((await client.send(get(server.origin))).failure?.message).toContain('after the end of its answer');
  });

  it('are the body of an answer whose transfer coding is identity, until its connection ends', async () => {
    const server = await fixedServer(answer('HTTP/1.1 200 OK\nTransfer-Encoding: identity', '{"items":[]}'));
    const { client } = rig([server.origin]);
    expect(bodyText(await client.send(get(server.origin)))).toBe('{"items":[]}');
  });

  it('on an idle connection close it, and the next request fails', async () => {
    let strayed: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      strayed = resolve;
    });
    const server = await rawServer((socket, index) => {
      onRequest(socket, (head) => {
        const asked = /^GET (\S+)/.exec(head)?.[1] ?? '';
        socket.write(own(asked));
        if (index === 0) setTimeout(() => socket.write(forged), 30);
      });
      socket.on('close', strayed);
    });
    const { client } = rig([server.origin]);
    expect(bodyText(await client.send(get(server.origin, '/first')))).toBe('/first');
    await over;
    expect((await client.send(get(server.origin, '/second'))).failure?.message).toContain('unsolicited');
    expect(bodyText(await client.send(get(server.origin, '/third')))).toBe('/third');
    expect(server.connections.length).toBe(2);
  });

  it('are ignored if they are a 408 by which the server closes an idle connection', async () => {
    const timeout = 'HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\nidle for too long';
    let closed = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await rawServer((socket, index) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        if (index === 0) setTimeout(() => socket.end(timeout), 30);
      });
      socket.on('close', closed);
    });
    const { client } = rig([server.origin]);
    expect(bodyText(await client.send(get(server.origin, '/first')))).toBe('ok');
    await over;
    expect(bodyText(await client.send(get(server.origin, '/second')))).toBe('ok');
    expect(server.connections.length).toBe(2);
  });

  it('are ignored if they are a line break; interim answers and trailers are not among them', async () => {
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        const chunks = '2;x=y\r\nok\r\n0\r\nX-Trailer: a\r\n\r\n';
        const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
        socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 On\r\n\r\n${head}${chunks}`);
      });
    });
    const { client } = rig([server.origin]);
    for (let turn = 0; turn < 3; turn += 1)
      expect(bodyText(await client.send(get(server.origin)))).toBe('ok');
    expect(server.connections.length).toBe(1);
  });
});
