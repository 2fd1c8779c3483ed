import { describe, expect, it, vi } from 'vitest';
import { AdaptiveThrottle } from '../../../src/http/pacing/adaptive-throttle.ts';
import { fixedServer, get, onRequest, rawServer, rig } from '../../support/http/support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

function later(code: number, retryAfter?: number): string {
  const header = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  return `HTTP/1.1 ${code} X\r\n${header}Content-Length: 0\r\n\r\n`;
}

async function statusesOf(count: number, origin: string, limits: Parameters<typeof rig>[1]) {
  const { client, exchanges } = rig([origin], limits);
  const ended = await Promise.all(
    Array.from({ length: count }, (_none, index) => client.send(get(origin, `/list?${index}`))),
  );
  return { statuses: new Set(ended.map(({ answer }) => answer?.status)), exchanges };
}

describe('a provider that answers 429 or 503', () => {
  it.each([1, 2])('gets fewer parallel requests until it serves them, if it serves %i', async (most) => {
    let inside = 0;
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        if (inside >= most) {
          socket.write(later(503));
          return;
        }
        inside += 1;
        setTimeout(() => {
          inside -= 1;
          socket.write(OK);
        }, 100);
      });
    });
    const { statuses, exchanges } = await statusesOf(16, server.origin, { concurrency: 8 });
    expect([...statuses]).toEqual([200]);
    expect(exchanges.length).toBeLessThan(40);
  });

  it('gets fewer requests per second until it serves them', async () => {
    let room = 2;
    const more = setInterval(() => {
      room = Math.min(2, room + 1);
    }, 125);
    const server = await rawServer((socket) => {
      onRequest(socket, () => {
        room -= 1;
        socket.write(room < 0 ? later(429) : OK);
        room = Math.max(0, room);
      });
    });
    try {
      const { statuses, exchanges } = await statusesOf(24, server.origin, { concurrency: 4 });
      expect([...statuses]).toEqual([200]);
      expect(exchanges.length).toBeLessThan(48);
    } finally {
      clearInterval(more);
    }
  });

  it('gets no request on any path until its Retry-After is over; other origins do', async () => {
    const times = new Map<string, number>();
    const server = await rawServer((socket) => {
      onRequest(socket, (head) => {
        const target = head.split(' ')[1] ?? '';
        socket.write(target === '/list?first' && !times.has(target) ? later(429, 1) : OK);
        times.set(target, performance.now());
      });
    });
    const other = await rawServer((socket) => onRequest(socket, () => socket.write(OK)));
    const { client, exchanges } = rig([server.origin, other.origin], { concurrency: 8 });
    const first = client.send(get(server.origin, '/list?first'));
    await vi.waitUntil(() => exchanges.length === 1, { timeout: 30_000 });
    const throttledAt = times.get('/list?first') ?? 0;
    const second = client.send(get(server.origin, '/token'));
    await client.send(get(other.origin));
    expect(times.has('/token')).toBe(false);
    expect((await first).answer?.status).toBe(200);
    expect((await second).answer?.status).toBe(200);
    expect((times.get('/token') ?? 0) - throttledAt).toBeGreaterThan(990);
  });

  it('keeps its limits when a run is stopped', async () => {
    const stop = new AbortController();
    const server = await fixedServer(later(503, 30), true);
    const { client, exchanges } = rig([server.origin], {}, { signal: stop.signal });
    const sending = [client.send(get(server.origin)), client.send(get(server.origin))];
    await vi.waitUntil(() => exchanges.length > 0, { timeout: 30_000 });
    stop.abort();
    const codes = (await Promise.all(sending)).map(({ failure }) => failure?.code);
    expect(codes).toEqual(['interrupted', 'interrupted']);
  });
});

const PATH = 'http://127.0.0.1/list';

describe('the concurrency', () => {
  const LIMITED = { waitMs: null, hasReason: true };

  function restraint(concurrency = 4): AdaptiveThrottle {
    return new AdaptiveThrottle({ concurrency }, new AbortController().signal);
  }

  it('is halved once for a burst that is refused as a whole', () => {
    const one = restraint(8);
    const sent = [one.sent(PATH), one.sent(PATH), one.sent(PATH)];
    for (const at of sent) one.slowDown(PATH, at, LIMITED);
    expect(one.reducedConcurrency).toBe(4);
    one.slowDown(PATH, one.sent(PATH), LIMITED);
    expect(one.reducedConcurrency).toBe(2);
  });

  it('is at least one', () => {
    const one = restraint(2);
    for (let index = 0; index < 10; index++) one.slowDown(PATH, one.sent(PATH), LIMITED);
    expect(one.reducedConcurrency).toBe(1);
  });

  it('of one counts as reduced until good answers come, so that idle connections make room', () => {
    const one = restraint(1);
    expect(one.reducedConcurrency).toBe(null);
    one.reduceConcurrency(one.sent(PATH));
    expect(one.reducedConcurrency).toBe(1);
    for (let index = 0; index < 32; index++) one.answered(PATH, one.sent(PATH));
    expect(one.reducedConcurrency).toBe(null);
  });

  it('rises with good answers, up to the limit', () => {
    const one = restraint(2);
    one.slowDown(PATH, one.sent(PATH), LIMITED);
    for (let index = 0; index < 31; index++) one.answered(PATH, one.sent(PATH));
    expect(one.reducedConcurrency).toBe(1);
    for (let index = 0; index < 100; index++) one.answered(PATH, one.sent(PATH));
    expect(one.reducedConcurrency).toBe(null);
  });
});

describe('the interval between requests', () => {
  /** Whether a second request must wait after refusals that are a second apart. */
  async function mustWait(hasReason: boolean): Promise<boolean> {
    const clock = vi.spyOn(performance, 'now');
    try {
      const stop = new AbortController();
      const one = new AdaptiveThrottle({ concurrency: 4 }, stop.signal);
      for (let seconds = 0; seconds < 10; seconds++) {
        clock.mockReturnValue(1000 * seconds);
        one.slowDown(PATH, one.sent(PATH), { waitMs: 0, hasReason });
      }
      clock.mockReturnValue(20_000);
      await one.enter(PATH, true);
      one.leave();
      let isSent = false;
      const second = one.enter(PATH, true).then((entered) => {
        isSent = entered;
      });
      await new Promise(setImmediate);
      const hasWaited = !isSent;
      stop.abort();
      await second;
      return hasWaited;
    } finally {
      clock.mockRestore();
    }
  }

  it('is given up for answers without a reason that a long one does not prevent', async () => {
    expect(await mustWait(true)).toBe(true);
    expect(await mustWait(false)).toBe(false);
  });
});
