import { createServer } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Header, retryAfterMs } from '../../../src/core/exchange.ts';
import { backoffMs } from '../../../src/http/pacing/retry.ts';
import { bodyText, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

function status(code: number, retryAfter?: string): string {
  const header = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  return `HTTP/1.1 ${code} X\r\n${header}Content-Length: 0\r\n\r\n`;
}

async function scripted(answers: readonly string[]) {
  let next = 0;
  const times: number[] = [];
  const server = await rawServer((socket) => {
    onRequest(socket, () => {
      times.push(performance.now());
      socket.write(answers[Math.min(next, answers.length - 1)] ?? '');
      next += 1;
    });
  });
  return { ...server, times };
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('429 and 503', () => {
  it.each([429, 503])('%i is retried after its Retry-After', async (code) => {
    const server = await scripted([status(code, '1'), OK]);
    const { client, exchanges } = rig([server.origin]);
    const exchange = await client.send(get(server.origin));
    expect(bodyText(exchange)).toBe('ok');
    expect(exchange).toMatchObject({ number: 2, retry: 1 });
    expect(exchanges.map(({ answer, retry }) => [answer?.status, retry])).toEqual([
      [code, 0],
      [200, 1],
    ]);
    expect((server.times[1] ?? 0) - (server.times[0] ?? 0)).toBeGreaterThan(990);
  });

  it('does not repeat a token request that an OAuth error refuses, whatever Retry-After says', async () => {
    const body = '{"error":"invalid_grant"}';
    const refusal = `HTTP/1.1 400 X\r\nRetry-After: 0\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const server = await scripted([refusal, OK]);
    const { client, exchanges } = rig([server.origin]);
    expect((await client.send(get(server.origin))).answer?.status).toBe(400);
    expect(exchanges).toHaveLength(1);
  });

  it('without Retry-After are retried after 250 ms, then after twice as long', async () => {
    const server = await scripted([status(503), status(429), OK]);
    const { client } = rig([server.origin]);
    expect(bodyText(await client.send(get(server.origin)))).toBe('ok');
    const [first = 0, second = 0, third = 0] = server.times;
    expect(second - first).toBeGreaterThan(240);
    expect(third - second).toBeGreaterThan(490);
  });

  it('are returned after the last retry', async () => {
    const server = await scripted([status(503, '0')]);
    const { client, exchanges } = rig([server.origin], { retries: 2 });
    const exchange = await client.send(get(server.origin));
    expect(exchange.answer?.status).toBe(503);
    expect(exchanges.map(({ retry }) => retry)).toEqual([0, 1, 2]);
  });

  it('are returned if Retry-After is too long', async () => {
    for (const wait of ['61', '31536000', '99999999999999999999', 'Fri, 31 Dec 2100 23:59:59 GMT']) {
      const server = await scripted([status(429, wait)]);
      const { client, exchanges } = rig([server.origin]);
      expect((await client.send(get(server.origin))).answer?.status).toBe(429);
      expect(exchanges).toHaveLength(1);
    }
  });

  it('are waited for no longer than the total limit', async () => {
    const server = await scripted([status(429, '1')]);
    const { client, exchanges } = rig([server.origin], { maxRetryAfterMs: 1500 });
    expect((await client.send(get(server.origin))).answer?.status).toBe(429);
    expect(exchanges).toHaveLength(2);
  });

  it.each([408, 421, 425])('%i, which speaks of the connection, is retried', async (code) => {
    const server = await scripted([status(code), OK]);
    const { client, exchanges } = rig([server.origin]);
    expect(bodyText(await client.send(get(server.origin)))).toBe('ok');
    expect(exchanges).toHaveLength(2);
  });

  it.each([501, 505, 401])('%i is not retried', async (code) => {
    const server = await scripted([status(code, '0')]);
    const { client, exchanges } = rig([server.origin]);
    expect((await client.send(get(server.origin))).answer?.status).toBe(code);
    expect(exchanges).toHaveLength(1);
  });
});

describe('a refused connection', () => {
  it('is retried', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const { client, exchanges } = rig([origin]);
    const sending = client.send(get(origin));
    await vi.waitUntil(() => exchanges.length > 0, { timeout: 30_000 });
    const server = createServer((socket) => onRequest(socket, () => socket.write(OK)));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    expect(bodyText(await sending)).toBe('ok');
    expect(exchanges[0]).toMatchObject({ failure: { code: 'refused' }, answer: null, retry: 0 });
  });

  it('is a failure after the last retry', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const { client, exchanges } = rig([origin], { retries: 1 });
    const exchange = await client.send(get(origin));
    expect(exchange.failure).toEqual({
      code: 'refused',
      message: `${origin} refuses the connection: nothing listens on that port`,
    });
    expect(exchanges).toHaveLength(2);
    // Nothing was sent, so reports do not count it as a request.
    expect(exchange.connection).toBeNull();
  });
});

describe('a kept-alive connection that the provider closed', () => {
  it.each(['GET', 'POST'])('is replaced immediately for %s, without counting as a retry', async (method) => {
    const server = await rawServer((socket, connection) => {
      onRequest(socket, (_head, request) => {
        if (connection < 2 && request === 1) socket.destroy();
        else socket.write(OK);
      });
    });
    const { client, exchanges } = rig([server.origin], { retries: 0 });
    await client.send(get(server.origin));
    const exchange = await client.send({
      ...get(server.origin),
      method,
      body: method === 'POST' ? 'a=b' : null,
    });
    expect(bodyText(exchange)).toBe('ok');
    expect(
      exchanges.map(({ failure, connection, retry }) => [failure?.code ?? null, connection, retry]),
    ).toEqual([
      [null, 1, 0],
      ['closed', 1, 0],
      [null, 2, 1],
    ]);
  });

  it('is detected in time if it was idle', async () => {
    const ends: (() => void)[] = [];
    const server = await rawServer((socket) => {
      onRequest(socket, () => socket.write(OK));
      ends.push(() => socket.destroy());
    });
    const { client } = rig([server.origin], { retries: 0 });
    await client.send(get(server.origin));
    for (const end of ends) end();
    // The client is notified in a later turn; until then, it finds out when it sends.
    await turnOfTheLoop();
    expect(bodyText(await client.send(get(server.origin)))).toBe('ok');
  });

  it('is a failure if the connection was new or part of an answer arrived', async () => {
    const server = await rawServer((socket, connection) => {
      onRequest(socket, (_head, request) => {
        if (connection === 0 && request === 0) socket.write(OK);
        else if (connection === 0) socket.end('HTTP/1.1 200');
        else socket.destroy();
      });
    });
    const { client, exchanges } = rig([server.origin], { retries: 0 });
    const codes: (string | undefined)[] = [];
    for (let round = 0; round < 3; round += 1)
      codes.push((await client.send(get(server.origin))).failure?.code);
    expect(codes).toEqual([undefined, 'truncated', 'closed']);
    expect(exchanges).toHaveLength(3);
  });
});

describe('Retry-After', () => {
  const NOW = Date.parse('2027-03-01T12:00:00Z');
  const at = (value: string, date?: string): number | null => {
    const headers: Header[] = [['retry-AFTER', value]];
    if (date !== undefined) headers.push(['Date', date]);
    return retryAfterMs(headers, NOW);
  };

  it.each([
    ['0', 0],
    [' 120 ', 120_000],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    ['1e3', null],
    ['Mon, 01 Mar 2027 12:00:30 GMT', 30_000],
    ['Monday, 01-Mar-27 12:00:30 GMT', 30_000],
    ['Mon Mar  1 12:00:30 2027', 30_000],
    ['Mon, 01 Mar 2027 11:00:00 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Mon, 99 Foo 2027 11:00:00 GMT', null],
  ])('%j is %s ms', (value, expected) => {
    expect(at(value)).toBe(expected);
  });

  it('is measured by the Date of the answer', () => {
    expect(at('Mon, 01 Mar 2027 15:00:05 GMT', 'Mon, 01 Mar 2027 15:00:00 GMT')).toBe(5000);
  });

  it.each([
    ['down', [250, 500, 1000]],
    ['interrupted', [250, 750, 2250]],
    ['single', [250, 250, 250]],
    ['throttled', [500, 2000, 8000]],
  ] as const)('is replaced by growing waits if absent: %s', (kind, pauses) => {
    expect([0, 1, 2].map((repetition) => backoffMs(repetition, kind))).toEqual(pauses);
  });
});
