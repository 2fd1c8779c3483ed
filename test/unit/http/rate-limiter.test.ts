import { describe, expect, it, vi } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/clock.ts';
import { RateLimiter } from '../../../src/http/pacing/rate-limiter.ts';

describe('the rate limiter', () => {
  it('admits urgent requests first, then by arrival', async () => {
    const gate = new RateLimiter({ concurrency: 1, requestsPerSecond: 1000 }, new AbortController().signal);
    const order: string[] = [];
    const enter = async (name: string, urgent: boolean): Promise<void> => {
      if (!(await gate.enter(urgent))) return;
      order.push(name);
      gate.leave();
    };
    await gate.enter();
    const waiting = [enter('a', false), enter('b', false), enter('page 2', true), enter('page 3', true)];
    gate.leave();
    await Promise.all(waiting);
    expect(order).toEqual(['page 2', 'page 3', 'a', 'b']);
  });

  it('allows a burst as large as the concurrency, then one request per interval', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    // Promises of node:timers are not faked.
    const sleep = vi.spyOn(SYSTEM_CLOCK, 'sleep');
    sleep.mockImplementation((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
    try {
      const gate = new RateLimiter({ concurrency: 3, requestsPerSecond: 50 }, new AbortController().signal);
      const left: number[] = [];
      const burst = async (requests: number): Promise<void> => {
        const from = performance.now();
        for (let request = 0; request < requests; request++)
          gate.pace().then(() => left.push(Math.round(performance.now() - from)));
        await vi.advanceTimersByTimeAsync(1000);
      };
      await vi.advanceTimersByTimeAsync(1000);
      await burst(6);
      expect(left.splice(0)).toEqual([0, 0, 0, 20, 40, 60]);
      // Idle time does not accumulate.
      await burst(4);
      expect(left).toEqual([0, 0, 0, 20]);
    } finally {
      sleep.mockRestore();
      vi.useRealTimers();
    }
  });

  it('stops waiting for the rate when the run is stopped', async () => {
    const stop = new AbortController();
    const gate = new RateLimiter({ concurrency: 1, requestsPerSecond: 0.001 }, stop.signal);
    expect(await gate.pace()).toBe(true);
    const waiting = gate.pace();
    stop.abort();
    expect(await waiting).toBe(false);
  });

  it('rejects all waiting requests when the run is stopped', async () => {
    const stop = new AbortController();
    const gate = new RateLimiter({ concurrency: 1, requestsPerSecond: 1000 }, stop.signal);
    await gate.enter();
    const waiting = [gate.enter(false), gate.enter(true)];
    stop.abort();
    expect(await Promise.all(waiting)).toEqual([false, false]);
  });
});
