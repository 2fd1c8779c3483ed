import { expect, test } from 'vitest';
import { RunClock } from '../../../src/core/clock.ts';
import { reportingClock } from '../../../src/run/conform.ts';

const HOUR_MS = 3_600_000;

test('the end of a run ends a pause that has no signal, and rejects one that has', async () => {
  const end = new AbortController();
  const clock = new RunClock(end.signal);
  const pause = clock.sleep(HOUR_MS, null);
  const wait = clock.sleep(HOUR_MS, end.signal);
  end.abort();
  await expect(wait).rejects.toThrow();
  await expect(pause).resolves.toBeUndefined();
  expect(clock.now()).toBeLessThan(Date.now() + HOUR_MS / 2);
});

test('a pause without a signal is not reported as a wait for a token', async () => {
  const until: number[] = [];
  const asleep = { now: () => 0, sleep: () => Promise.resolve() };
  const clock = reportingClock(asleep, (end) => until.push(end));
  await clock.sleep(5500, null);
  await clock.sleep(HOUR_MS, new AbortController().signal);
  expect(until).toEqual([HOUR_MS]);
});
