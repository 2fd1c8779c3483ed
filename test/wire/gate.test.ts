import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/wire/gate.ts';

describe('the gate', () => {
  it('lets urgent requests in first, and otherwise those that have waited longest', async () => {
    const gate = new Gate({ concurrency: 1, requestsPerSecond: 1000 }, new AbortController().signal);
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

  it('dismisses everybody where the run is stopped', async () => {
    const stop = new AbortController();
    const gate = new Gate({ concurrency: 1, requestsPerSecond: 1000 }, stop.signal);
    await gate.enter();
    const waiting = [gate.enter(false), gate.enter(true)];
    stop.abort();
    expect(await Promise.all(waiting)).toEqual([false, false]);
  });
});
