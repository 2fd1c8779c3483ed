import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage, collectYoungGarbage } from '../../../src/core/garbage.ts';

const MEGABYTE = 1_048_576;

it('gives back everything that nobody refers to', async () => {
  const left = ((): WeakRef<object> => new WeakRef({ some: 'thing' }))();
  await turn();
  collectGarbage();
  await turn();
  expect(left.deref()).toBeUndefined();
});

it('gives back memory outside of the heap that was taken lately', async () => {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 20; count += 1) new Uint8Array(MEGABYTE).fill(1);
  const kept = new Uint8Array(5 * MEGABYTE);
  expect(process.memoryUsage().arrayBuffers).toBeGreaterThan(before + 5 * MEGABYTE);
  collectYoungGarbage();
  await expect.poll(() => process.memoryUsage().arrayBuffers).toBeLessThan(before + 8 * MEGABYTE);
  expect(process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(kept.length);
});
