import { describe, expect, it } from 'vitest';
import { fixedServer, get, onRequest, rawServer, rig, wasSent } from '../../support/http/support.ts';

describe('waiting without an answer', () => {
  it('is bounded by a number of timeouts, for any number of requests', async () => {
    const server = await rawServer((socket) => {
      onRequest(socket, (head) => {
        if (head.startsWith('GET /fine')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const { client } = rig([server.origin], { answerTimeoutMs: 200, retries: 3, concurrency: 4 });
    const silent = Array.from({ length: 60 }, (_none, index) =>
      client.send(get(server.origin, `/silent?${index}`)),
    );
    const ended = await Promise.all(silent);
    const codes = ended.map(({ failure }) => failure?.code);
    expect(codes.filter((code) => code === 'answer-timeout').length).toBeLessThanOrEqual(12);
    expect(codes.at(-1)).toBe('retry-later');
    expect(ended.at(-1)?.failure?.message).toMatch(
      /^nothing more was sent to .*\/silent: 0\.\d s were spent/,
    );
    // Requests to other paths are sent as before.
    expect((await client.send(get(server.origin, '/fine'))).answer?.status).toBe(200);
  });

  it('is bounded in the same way where TLS handshakes never finish', async () => {
    const server = await rawServer(() => undefined);
    const origin = server.origin.replace('http:', 'https:');
    const limits = { connectTimeoutMs: 200, answerTimeoutMs: 400, retries: 3, concurrency: 4 };
    const { client } = rig([origin], limits);
    const targets = Array.from({ length: 60 }, (_none, index) => `/silent?${index}`);
    const ended = await Promise.all(targets.map((target) => client.send(get(origin, target))));
    const codes = ended.map(({ failure }) => failure?.code);
    expect(codes.filter((code) => code === 'tls').length).toBeLessThanOrEqual(24);
    expect(codes.at(-1)).toBe('retry-later');
  });

  it('ends for a provider that only answers 503', async () => {
    const server = await fixedServer(
      'HTTP/1.1 503 Later\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n',
      true,
    );
    const { client } = rig([server.origin], { retries: 2, concurrency: 1 });
    for (let index = 0; index < 20; index++) await client.send(get(server.origin));
    // Three requests with two retries each, nine without, and the rest is not sent.
    expect(client.sentCount).toBe(3 * 3 + 9);
    const last = await client.send(get(server.origin));
    expect(last.failure?.code).toBe('retry-later');
    expect(last.failure?.message).toContain('12 requests in a row failed, the last one with status 503');
    expect(last.failure?.status).toBe(503);
    expect(wasSent(last)).toBe(false);
  });
});

describe('a refusal with Retry-After', () => {
  it('is waited for once, if the same status comes again', async () => {
    const server = await fixedServer('HTTP/1.1 404 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n', true);
    const { client, exchanges } = rig([server.origin], { retries: 1 });
    for (const path of ['/one', '/two', '/three']) await client.send(get(server.origin, path));
    expect(exchanges.map(({ request, retry }) => [request.target, retry])).toEqual([
      ['/one', 0],
      ['/one', 1],
      ['/two', 0],
      ['/three', 0],
    ]);
  });

  it('shows nothing if its request was not repeated', async () => {
    const server = await fixedServer('HTTP/1.1 403 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n', true);
    const { client, exchanges } = rig([server.origin], { retries: 1 });
    await client.send(get(server.origin, '/one'), { maxRetries: 0 });
    await client.send(get(server.origin, '/two'));
    expect(exchanges.map(({ request, retry }) => [request.target, retry])).toEqual([
      ['/one', 0],
      ['/two', 0],
      ['/two', 1],
    ]);
  });
});

it('a refusal with Retry-After shows nothing if its request was repeated for another reason', async () => {
  let answered = 0;
  const server = await rawServer((socket) => {
    onRequest(socket, () => {
      const head = answered++ === 0 ? '500 X' : '403 X\r\nRetry-After: 0';
      socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`);
    });
  });
  const { client, exchanges } = rig([server.origin], { retries: 1 });
  for (const path of ['/one', '/two']) await client.send(get(server.origin, path));
  expect(exchanges.map(({ request, retry }) => [request.target, retry])).toEqual([
    ['/one', 0],
    ['/one', 1],
    ['/two', 0],
    ['/two', 1],
  ]);
});

describe('limits of a run', () => {
  it('end it after maxRunSeconds, with that reason', async () => {
    const server = await rawServer(() => undefined);
    const { client } = rig([server.origin], { maxRunSeconds: 1 });
    const pending = await client.send(get(server.origin));
    expect(pending.failure).toEqual({
      code: 'time-limit',
      message: `the time limit of 1 s (limits.maxRunSeconds) was reached before ${server.origin} had answered`,
    });
    const later = await client.send(get(server.origin));
    expect(later.failure?.code).toBe('time-limit');
    expect([wasSent(pending), wasSent(later)]).toEqual([true, false]);
    expect(client.signal.aborted).toBe(true);
  });

  it('end it after maxTotalBytes', async () => {
    const server = await fixedServer(
      `HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n${'a'.repeat(600)}`,
      true,
    );
    const { client } = rig([server.origin], { maxTotalBytes: 1000, concurrency: 1 });
    const codes: unknown[] = [];
    for (let index = 0; index < 3; index++) codes.push((await client.send(get(server.origin))).failure);
    expect(codes).toEqual([
      null,
      null,
      {
        code: 'request-limit',
        message: `nothing more was sent to ${server.origin}: all 1000 bytes of answers (limits.maxTotalBytes) are used up`,
        limit: 'maxTotalBytes',
      },
    ]);
  });

  it('count of a body that is too large what was read of it', async () => {
    const server = await fixedServer(
      `HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n${'a'.repeat(200)}`,
      true,
    );
    const { client } = rig([server.origin], { maxBodyBytes: 100, maxTokenBytes: 1000, maxTotalBytes: 1000 });
    const send = () => client.send(get(server.origin), { bodyLimit: 'maxTokenBytes' });
    for (let sent = 0; sent < 3; sent++) expect((await send()).failure?.limit).toBe('maxBodyBytes');
  });

  it('of headers and interim answers come from the target', async () => {
    const many = await fixedServer(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(12)}Content-Length: 0\r\n\r\n`);
    const large = await fixedServer(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(3000)}\r\nContent-Length: 0\r\n\r\n`);
    const interim = await fixedServer(`${'HTTP/1.1 103 Early\r\n\r\n'.repeat(3)}HTTP/1.1 204 None\r\n\r\n`);
    const origins = [many.origin, large.origin, interim.origin];
    const { client } = rig(origins, { maxHeaders: 10, maxHeaderBytes: 2048, maxInterim: 2 });
    const messages = await Promise.all(
      origins.map(async (origin) => (await client.send(get(origin))).failure?.message ?? ''),
    );
    expect(messages[0]).toContain('more than 10 headers (limits.maxHeaders)');
    expect(messages[1]).toContain('more than 2048 bytes (limits.maxHeaderBytes)');
    expect(messages[2]).toContain('more than 2 interim (1xx) answers (limits.maxInterim)');
  });
});
