import { expect, test } from 'vitest';
import { RunClock } from '../../../src/core/clock.ts';

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
