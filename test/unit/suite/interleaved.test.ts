import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/core/results.ts';
import { conform } from '../../../src/run/conform.ts';
import { written } from '../../support/hostile/altering-proxy.ts';
import { openFront, openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';

describe('targets of one run', () => {
  it('do not wait for each other if a provider delays every answer', async () => {
    const mock = await openMock({ records: 600 });
    const held: (() => void)[] = [];
    let holding = true;
    const front = await openFront(mock, ({ answer, socket }) => {
      if (!holding) return answer;
      held.push(() => socket.destroy());
      return null;
    });
    const finished: string[] = [];
    const listener = (event: RunEvent): void => {
      if (event.type !== 'target-finished') return;
      finished.push(event.result.name);
      if (finished.length < 5) return;
      // All others are done: now the delayed one is answered, its first requests by a lost connection.
      holding = false;
      for (const release of held) release();
    };
    const slow = targetOf(mock, { name: 'held', authUrl: front, baseUrl: front });
    const quick = Array.from({ length: 5 }, (_none, index) => targetOf(mock, { name: `quick-${index}` }));
    const results = await conform([slow, ...quick], runOptions({ suite: 'smoke', seed: 1, listener }));
    expect(finished.at(-1)).toBe('held');
    expect(held.length).toBeGreaterThan(0);
    expect(results.targets.slice(1).map(({ outcome }) => outcome)).toEqual(Array(5).fill('conformant'));
    expect(results.targets.map(({ name }) => name)).toEqual(['held', ...quick.map(({ name }) => name)]);
  });

  it('are stopped together by one signal, which has a single listener at most during the run', async () => {
    const mock = await openMock({ records: 5 });
    const targets = Array.from({ length: 12 }, (_none, index) => targetOf(mock, { name: `t${index}` }));
    const stop = new AbortController();
    const listeners = (): number => getEventListeners(stop.signal, 'abort').length;
    const run = (onFinished: () => void) =>
      conform(
        targets,
        runOptions({
          suite: 'smoke',
          seed: 1,
          listener: ({ type }) => {
            if (type === 'target-finished') onFinished();
          },
          signal: stop.signal,
        }),
      );
    const counted: number[] = [];
    const whole = await run(() => counted.push(listeners()));
    expect(whole.run.complete).toBe(true);
    expect(counted).toHaveLength(12);
    expect(Math.max(...counted)).toBeLessThanOrEqual(1);
    expect(listeners()).toBe(0);
    stop.abort();
    const stopped = await run(() => undefined);
    expect(stopped.run.complete).toBe(false);
    expect(stopped.targets.map(({ traffic }) => traffic.requests)).toEqual(Array(12).fill(0));
  });

  it('respect their own limits of concurrency', async () => {
    const mock = await openMock({ records: 30 });
    let under = 0;
    let most = 0;
    const front = await openFront(mock, ({ answer, socket }) => {
      under++;
      most = Math.max(most, under);
      setImmediate(() => {
        under--;
        socket.write(written(answer));
      });
      return null;
    });
    const limits = { concurrency: 1, requestsPerSecond: 10_000 };
    const single = targetOf(mock, { name: 'single', baseUrl: front, authUrl: front, limits });
    const results = await conform(
      [targetOf(mock, { name: 'usual' }), single],
      runOptions({ suite: 'smoke', only: ['list/envelope', 'list/items', 'link/offset'], seed: 1 }),
    );
    expect(results.targets.map(({ outcome }) => outcome)).toEqual(['conformant', 'conformant']);
    expect(most).toBe(1);
  });
});
