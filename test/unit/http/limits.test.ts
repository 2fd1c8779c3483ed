import { EventEmitter, getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import type { HttpClient } from '../../../src/http/http-client.ts';
import type { RawServer } from '../../support/http/support.ts';
import { fixedServer, get, onRequest, rawServer, rig, wasSent } from '../../support/http/support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function slowServer(
  milliseconds: number,
  seen: string[] = [],
): Promise<RawServer & { most(): number }> {
  let inside = 0;
  let most = 0;
  const server = await rawServer((socket) => {
    onRequest(socket, (head) => {
      seen.push(head.split(' ')[1] ?? '');
      inside += 1;
      most = Math.max(most, inside);
      setTimeout(() => {
        inside -= 1;
        socket.write(OK);
      }, milliseconds);
    });
  });
  return { ...server, most: () => most };
}

function sendMany(client: HttpClient, origin: string, count: number) {
  return Promise.all(Array.from({ length: count }, (_, index) => client.send(get(origin, `/${index}`))));
}

describe('concurrency', () => {
  it('is never exceeded, and requests are sent in order', async () => {
    const seen: string[] = [];
    const server = await slowServer(5, seen);
    const { client, exchanges } = rig([server.origin], { concurrency: 3 });
    const results = await sendMany(client, server.origin, 30);
    expect(server.most()).toBe(3);
    expect(new Set(results.map(({ connection }) => connection))).toEqual(new Set([1, 2, 3]));
    expect(results.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(new Set(exchanges.map(({ request }) => request.target))).toEqual(new Set(seen));
    const positions = seen.map((target) => Number(target.slice(1)));
    for (const [index, position] of positions.entries()) expect(Math.abs(position - index)).toBeLessThan(3);
  });

  it('keeps connections alive', async () => {
    const server = await slowServer(0);
    const { client } = rig([server.origin]);
    for (let round = 0; round < 5; round += 1) await client.send(get(server.origin));
    expect(server.connections).toHaveLength(1);
  });

  it('handles many requests without a warning', async () => {
    const warnings: unknown[] = [];
    const remember = (warning: unknown): unknown => warnings.push(warning);
    process.on('warning', remember);
    const controller = new AbortController();
    const server = await slowServer(1);
    const { client } = rig([server.origin], { concurrency: 64 }, { signal: controller.signal });
    await sendMany(client, server.origin, 500);
    await turnOfTheLoop();
    process.off('warning', remember);
    expect(warnings).toEqual([]);
    await client.close();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('the rate', () => {
  it('is respected after a small burst', async () => {
    const server = await slowServer(0);
    const { client, exchanges } = rig([server.origin], { requestsPerSecond: 50, concurrency: 4 });
    const begun = Date.now();
    await sendMany(client, server.origin, 14);
    // Four at once, then ten at 20 ms each; a busy machine may send the first ones late, but none early.
    const lastSent = Math.max(...exchanges.map(({ startedAt }) => startedAt));
    expect(lastSent - begun).toBeGreaterThan(180);
  });
});

describe('maxRequests', () => {
  it('is a hard limit that includes retries', async () => {
    const server = await fixedServer(
      'HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n',
      true,
    );
    const { client, exchanges } = rig([server.origin], { maxRequests: 6, retries: 3, concurrency: 1 });
    const results = await sendMany(client, server.origin, 4);
    expect(results.map(({ answer, failure }) => answer?.status ?? failure?.code)).toEqual([
      503,
      'request-limit',
      'request-limit',
      'request-limit',
    ]);
    expect(exchanges.filter(wasSent)).toHaveLength(6);
    expect(client.sentCount).toBe(6);
    expect(results[1]?.failure?.message).toBe(
      `nothing more was sent to ${server.origin}: all 6 requests (limits.maxRequests) are used up`,
    );
    expect(exchanges.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });
});

describe('time limits', () => {
  it('end an answer that never comes', async () => {
    const server = await rawServer(() => {});
    const { client } = rig([server.origin], { answerTimeoutMs: 150 });
    const exchange = await client.send(get(server.origin));
    expect(exchange.failure).toEqual({
      code: 'answer-timeout',
      message: `no answer from ${server.origin} within 150 ms (limits.answerTimeoutMs)`,
    });
    expect(exchange.durationMs).toBeGreaterThanOrEqual(145);
  });

  it('are not extended by slow headers or bodies', async () => {
    for (const start of ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n']) {
      const server = await rawServer((socket) => {
        socket.write(start);
        const timer = setInterval(
          () => socket.write(start === '' ? 'HTTP/1.1 100 Continue\r\n\r\n' : 'x'),
          30,
        );
        socket.on('close', () => clearInterval(timer));
      });
      const { client } = rig([server.origin], { answerTimeoutMs: 300 });
      const exchange = await client.send(get(server.origin));
      expect(exchange.failure?.code).toBe('answer-timeout');
      expect(exchange.failure?.message).toMatch(/^no complete answer from/);
    }
  });

  it('do not count the time in the queue', async () => {
    const server = await slowServer(60);
    const { client } = rig([server.origin], { concurrency: 1, answerTimeoutMs: 3000 });
    const results = await sendMany(client, server.origin, 4);
    for (const { failure, durationMs } of results) {
      expect(failure).toBeNull();
      expect(durationMs).toBeLessThan(3000);
    }
  });

  it('end a handshake that never completes', async () => {
    const server = await rawServer(() => {});
    const origin = server.origin.replace('http:', 'https:');
    const { client } = rig([origin], { connectTimeoutMs: 150 });
    const exchange = await client.send(get(origin));
    expect(exchange.failure).toEqual({
      code: 'tls',
      message: `${origin} was reached, but the TLS handshake did not finish within 150 ms (limits.connectTimeoutMs)`,
    });
  });
});

describe('interruption', () => {
  it('ends requests in flight, waiting, queued and later ones', async () => {
    const controller = new AbortController();
    const asked = new EventEmitter();
    const silent = await rawServer((socket) => onRequest(socket, () => asked.emit('silent')));
    const busy = await fixedServer('HTTP/1.1 429 Slow\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n', true);
    const origins = [silent.origin, busy.origin];
    const onExchange = (): unknown => asked.emit('busy');
    const { client } = rig(origins, { concurrency: 2 }, { signal: controller.signal, onExchange });
    const underWay = Promise.all([once(asked, 'silent'), once(asked, 'busy')]);
    const sends = [...origins, ...origins].map((origin) => client.send(get(origin)));
    await underWay;
    controller.abort();
    const results = await Promise.all([...sends, client.send(get(silent.origin))]);
    expect(results.map(({ failure }) => failure?.code)).toEqual(Array(5).fill('interrupted'));
    expect(results.map(wasSent)).toEqual([true, false, false, false, false]);
    expect(results[1]?.retry).toBe(1);
  });

  it('ends requests that wait for the rate', async () => {
    const controller = new AbortController();
    const server = await slowServer(0);
    const { client } = rig(
      [server.origin],
      { requestsPerSecond: 0.01, concurrency: 1 },
      { signal: controller.signal },
    );
    await client.send(get(server.origin));
    const held = client.send(get(server.origin));
    await turnOfTheLoop();
    controller.abort();
    expect((await held).failure?.code).toBe('interrupted');
    expect(client.sentCount).toBe(1);
  });

  it('may happen before the start', async () => {
    const { client } = rig(['http://127.0.0.1:9'], {}, { signal: AbortSignal.abort() });
    expect((await client.send(get('http://127.0.0.1:9'))).failure?.code).toBe('interrupted');
  });

  it('is part of close, which waits for the end', async () => {
    const asked = new EventEmitter();
    const server = await rawServer((socket) => onRequest(socket, () => asked.emit('request')));
    const { client, exchanges } = rig([server.origin]);
    const request = once(asked, 'request');
    const pending = client.send(get(server.origin));
    await request;
    await client.close();
    expect(exchanges).toHaveLength(1);
    expect((await pending).failure?.code).toBe('interrupted');
  });
});

describe('reporting', () => {
  it('returns an exchange after its listener is done', async () => {
    const server = await slowServer(0);
    const events: string[] = [];
    const onExchange = async (): Promise<void> => {
      await turnOfTheLoop();
      events.push('recorded');
    };
    const { client } = rig([server.origin], {}, { onExchange });
    const exchange = await client.send(get(server.origin));
    events.push('handed on');
    expect(events).toEqual(['recorded', 'handed on']);
    expect(exchange.number).toBe(1);
  });

  it('calls onAnswer once an answer is recorded, and sends requests that it starts first', async () => {
    const server = await slowServer(0);
    const events: string[] = [];
    const onExchange = ({ request }: Exchange, requester: string | null): void => {
      events.push(`taken ${request.target} of ${requester}`);
    };
    const { client } = rig([server.origin], {}, { onExchange });
    let next: Promise<Exchange> | null = null;
    await client.send(get(server.origin, '/1'), {
      requester: 'one',
      onAnswer: ({ answer, request }) => {
        events.push(`answered ${request.target} with ${answer?.status}`);
        next = client.send(get(server.origin, '/2'));
      },
    });
    events.push(`handed on, ${client.sentCount} sent`);
    await next;
    expect(events).toEqual([
      'taken /1 of one',
      'answered /1 with 200',
      'handed on, 2 sent',
      'taken /2 of null',
    ]);
  });

  it('gives each answer its own turn, so that the effects of one settle before the next one', async () => {
    const sockets: Socket[] = [];
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        sockets.push(socket);
        if (sockets.length === 3) for (const one of sockets) one.write(OK);
      });
    });
    const events: string[] = [];
    const { client, exchanges } = rig([server.origin], { concurrency: 3 });
    const next: Promise<Exchange>[] = [];
    const onAnswer = (): void => {
      if (next.length === 0) next.push(client.send(get(server.origin, '/next')));
    };
    const use = async (target: string): Promise<void> => {
      await client.send(get(server.origin, target), { onAnswer });
      events.push(`begin ${target}`);
      for (let step = 0; step < 30; step += 1) await undefined;
      events.push(`end ${target}`);
    };
    await Promise.all(['/1', '/2', '/3'].map(use));
    const recorded = exchanges.map(({ request }) => request.target).filter((target) => target !== '/next');
    expect(events).toEqual(recorded.flatMap((target) => [`begin ${target}`, `end ${target}`]));
  });
});
